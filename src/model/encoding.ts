import { lazyLibrary } from './package.ts'

/** Reads every encoding but UTF-8. */
export const iconv = lazyLibrary<typeof import('iconv-lite')>('iconv-lite')

export const isKnownEncoding = (name: string): boolean =>
  /^utf-?8$/i.test(name) || iconv().encodingExists(name)
