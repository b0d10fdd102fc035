import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)
const isBundled = /\/dist\/(bin|lib)\/[^/]+$/.test(import.meta.url)

/** Loads a library on first use: loading all of them would take a third of the start-up. In the bundles each is a file. */
export function lazyLibrary<T>(name: LazyLibrary): () => T {
  let library: T | undefined
  return () => {
    library ??= load(isBundled ? `../bin/${name}.cjs` : name) as T
    return library
  }
}

type LazyLibrary = 'iconv-lite' | 'jsonata' | 'libphonenumber-js' | 'luxon' | 'markdown-it'

/** Two folders up from here in the source, in the compiled modules and in the bundles. */
export const packageRoot = new URL('../../', import.meta.url)

/** The text of a file of the package, named from its root. */
export const packageFile = (name: string): string => readFileSync(new URL(name, packageRoot), 'utf8')

/** The library that reads every encoding but UTF-8. */
export const iconv = lazyLibrary<typeof import('iconv-lite')>('iconv-lite')

export const isKnownEncoding = (name: string): boolean =>
  /^utf-?8$/i.test(name) || iconv().encodingExists(name)
