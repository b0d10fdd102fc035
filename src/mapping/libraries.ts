import { lazyLibrary } from '../model/package.ts'

/** Numbering plans of all countries. */
export const phoneNumbers = lazyLibrary<typeof import('libphonenumber-js')>('libphonenumber-js')
/** Compiles expressions. */
export const jsonata = lazyLibrary<typeof import('jsonata')>('jsonata')
/** Makes markup of Markdown. */
export const markdownIt = lazyLibrary<typeof import('markdown-it')['default']>('markdown-it')
/** Reads and writes dates. */
export const luxon = lazyLibrary<typeof import('luxon')>('luxon')
