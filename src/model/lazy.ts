import { createRequire } from 'node:module'

/** Makes something when it is first asked for, and gives the same from then on. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const load = createRequire(import.meta.url)
const isBundled = import.meta.url.endsWith('.cjs')

/**
 * A library that few runs need, loaded when it is first asked for: to load all of them would be a third of the start of a run. The
 * bundle has each as a file of its own.
 */
export const lazyLibrary = <T>(name: LazyLibrary): (() => T) =>
  lazy(() => load(isBundled ? `./${name}.cjs` : name) as T)

type LazyLibrary = 'iconv-lite' | 'jsonata' | 'libphonenumber-js' | 'luxon' | 'markdown-it'
