import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)
const isBundled = import.meta.url.endsWith('.cjs')

/**
 * A library that few runs need, loaded when it is first asked for: to load all of them would be a third of the start of a run. The
 * bundle has each as a file of its own.
 */
export function lazyLibrary<T>(name: LazyLibrary): () => T {
  let library: T | undefined
  return () => {
    library ??= load(isBundled ? `./${name}.cjs` : name) as T
    return library
  }
}

type LazyLibrary = 'iconv-lite' | 'jsonata' | 'libphonenumber-js' | 'luxon' | 'markdown-it'
