import { it } from 'vitest'

/** Tests run as `npm run test:long`, with what takes seconds and is rarely broken alone. */
export const isLong = process.env.ROWLIFT_LONG !== undefined

/** A test that is left to `npm run test:long`: it reads megabytes, or waits for leases or a full disk. */
export const itLong = it.runIf(isLong)

/** The first cases in `npm test`, all in `npm run test:long`. */
export const cases = <Case>(all: readonly Case[], count: number): readonly Case[] =>
  isLong ? all : all.slice(0, count)
