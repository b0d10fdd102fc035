import { it } from 'vitest'
import { isLong } from './random.ts'

/** A test that is left to `npm run test:long`: it reads megabytes, or waits for leases or a full disk. */
export const itLong = it.runIf(isLong)

/** The first cases in `npm test`, all in `npm run test:long`. */
export const cases = <Case>(all: readonly Case[], count: number): readonly Case[] =>
  isLong ? all : all.slice(0, count)
