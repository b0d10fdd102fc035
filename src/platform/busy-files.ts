import { closeSync, openSync, statSync } from 'node:fs'
import { platform } from 'node:os'
import { type Clock, sleep, systemClock } from '../model/clock.ts'
import { reasonOf } from '../model/errors.ts'

/** How long a change of a folder waits for other programs, and by what. */
export interface Patience {
  readonly busyMs?: number
  readonly clock?: Clock
  readonly system?: NodeJS.Platform
}

/** The longest wait for a virus scanner or an indexer. */
export const longestBusyMs = 2_000
const firstPauseMs = 10

/** What Windows says while another program has a file of the change open. */
const isBusy = (error: unknown): boolean => /^(EPERM|EACCES|EBUSY)$/.test(reasonOf(error))

/**
 * Renames or removes a file: at once, and on Windows again after growing pauses while another program has it open. So each call of
 * `change` must look, in the same turn, whether the file is still this run's. Throws what `change` throws, as EBUSY after a wait in vain.
 */
export async function whenFree<T>(change: () => T, patience: Patience = {}): Promise<T> {
  const { busyMs = longestBusyMs, clock = systemClock, system = platform() } = patience
  const endMs = clock.elapsedMs() + busyMs
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2)
    try {
      return change()
    } catch (error) {
      if (system !== 'win32' || !isBusy(error)) throw error
      const mayWait = clock.elapsedMs() + pauseMs <= endMs
      if (mayWait) await sleep(clock, pauseMs)
      const isLate = clock.elapsedMs() > endMs // the machine may have slept
      if (!mayWait || isLate) throw isHeld(error) ? Object.assign(error as Error, { code: 'EBUSY' }) : error
    }
}

/** Throws the error of Windows if another program has a file open that is to be replaced later: EBUSY, or EPERM for one that is read-only. */
export function checkReplaceable(path: string, system = platform()): void {
  const isThere = system === 'win32' && statSync(path, { throwIfNoEntry: false })?.isFile()
  if (isThere) closeSync(openSync(path, 'r+'))
}

/** Checks that a change failed at a file that may be written: then another program has it open. */
function isHeld(error: unknown): boolean {
  const { path, dest = path } = error as NodeJS.ErrnoException & { readonly dest?: string }
  const file = dest === undefined ? undefined : statSync(dest, { throwIfNoEntry: false })
  return file?.isFile() === true && (file.mode & 0o200) !== 0
}
