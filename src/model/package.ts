import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

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

interface Assets {
  readonly getAsset: (name: string, encoding: 'utf8') => string
  readonly getAssetKeys: () => string[]
}

/** True in a program of one file. The package is inside, as if it lay in a folder of this name below the program, where no file can be. */
export const isProgram = packageRoot.href.endsWith('/inside-rowlift/')
const assets = isProgram ? (load('node:sea') as Assets) : undefined

/** The text of a file of the package, named from its root. */
export const packageFile = (name: string): string =>
  assets?.getAsset(name, 'utf8') ?? readFileSync(new URL(name, packageRoot), 'utf8')

/** The files of the package in `config/`. */
export const configFiles = (): string[] =>
  assets?.getAssetKeys().flatMap(name => /^config\/(.*)/.exec(name)?.[1] ?? []) ??
  readdirSync(new URL('config/', packageRoot))

/** The bytes of a file that only a program has inside, by the path of a file of the package; undefined for others. */
export function fileInside(path: string): Buffer | undefined {
  const name = relative(fileURLToPath(packageRoot), path).replaceAll(sep, '/')
  return assets?.getAssetKeys().includes(name) ? Buffer.from(packageFile(name)) : undefined
}

/** The library that reads every encoding but UTF-8. */
export const iconv = lazyLibrary<typeof import('iconv-lite')>('iconv-lite')

export const isKnownEncoding = (name: string): boolean =>
  /^utf-?8$/i.test(name) || iconv().encodingExists(name)
