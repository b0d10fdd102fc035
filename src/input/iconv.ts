import { lazyLibrary } from '../model/lazy-library.ts'

/** Knows all encodings but UTF-8, which most files have. */
export const iconv = lazyLibrary<typeof import('iconv-lite')>('iconv-lite')
