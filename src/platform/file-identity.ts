import type { BigIntStats } from 'node:fs'
import { platform } from 'node:os'

type Identity = Pick<BigIntStats, 'dev' | 'ino'>

/**
 * Checks that an open file and the one at a name are the same. On Windows by their number alone, which has 64 bits: `dev` is not the
 * same number in both, and 0 after a rename.
 */
export const isSameFile = (open: Identity, named: Identity, system = platform()): boolean =>
  open.ino === named.ino && (open.dev === named.dev || system === 'win32')
