import type { Format } from '../model/format.ts'
import type { Reader } from './reader.ts'

/** Readers of formats that features add; filled by `features.ts`, and loaded if a source asks for one. */
export const featureReaders: Partial<Record<Format, () => Promise<Reader>>> = {}
