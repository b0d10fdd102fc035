import { createRequire } from 'node:module'

const read = createRequire(import.meta.url)

/** Gives what a library is; it is read when that is first asked, for to read all of them is a quarter of a run's start. */
const whenAsked = <T>(name: string): (() => T) => {
  let library: T | undefined
  return () => {
    library ??= read(name) as T
    return library
  }
}

/** Numbering plans of all countries. */
export const phoneNumbers = whenAsked<typeof import('libphonenumber-js')>('libphonenumber-js')
/** Compiles expressions. */
export const jsonata = whenAsked<typeof import('jsonata')>('jsonata')
/** Makes markup of Markdown. */
export const markdownIt = whenAsked<typeof import('markdown-it')['default']>('markdown-it')
