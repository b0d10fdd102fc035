import type { Patch } from './journal-code.ts'

/** Mistakes of which each breaks the promise, or lets a run refuse good files, by what the code does then. */
export const mutations: Readonly<Record<string, Patch>> = {
  'a call goes out before its intent is synced': {
    file: 'store/files/intent-log.ts',
    from: 'file.datasync().finally(() => lock.check())',
    to: 'Promise.resolve()',
  },
  'an intent is forgotten before its outcome is synced': {
    file: 'store/files/journal.ts',
    from: 'const line = resultLine(outcome',
    to: 'if (endsCall(outcome)) intentLog.forget(outcome.identity.key)\nconst line = resultLine(outcome',
  },
  'a folder is not synced after a rename': {
    file: 'platform/replace-file.ts',
    from: 'renameSync(unfinished, path)\n    }, patience)\n    await syncFolderOf(path)',
    to: 'renameSync(unfinished, path)\n    }, patience)',
  },
  'a refusal ends a doubt': {
    file: 'store/files/row-state.ts',
    from: "if (before?.status === 'in_doubt' && status === 'refused' && !byHand) return before",
    to: '',
  },
  'a torn line is not cut off': {
    file: 'store/files/result-log.ts',
    from: 'truncateSync(path, cutTo)',
    to: '{}',
  },
  'the torn first line of a log is not cut off': {
    file: 'store/files/result-log.ts',
    from: 'if (hasRest) truncateSync(path, cutTo)',
    to: 'if (hasRest && cutTo > 0) truncateSync(path, cutTo)',
  },
  'the chain of lines is not checked': {
    file: 'store/files/whole-lines.ts',
    from: 'if (isChained && chain !== written.crc) return false',
    to: '',
  },
  'an opening may follow any line': {
    file: 'store/files/whole-lines.ts',
    from: 'crc === 0 || this.#ends.includes(crc)',
    to: 'true',
  },
  'nobody looks whether the result log is as long as the intent log says': {
    file: 'store/files/pairing.ts',
    from: 'if (!this.#hasLine) return logCut',
    to: '',
  },
  'nobody looks whether the intent log is as long as the result log says': {
    file: 'store/files/pairing.ts',
    from: 'this.#hasIntents() ? unlessUnsynced : intentsMissing',
    to: 'unlessUnsynced',
  },
  'a log without a closing line needs no intent log': {
    file: 'store/files/pairing.ts',
    from: 'if (isUnclosed) return intentsMissing',
    to: '',
  },
  'an opening is in the result log before it is in the intent log': {
    file: 'store/files/journal.ts',
    from: `    const intentLog = await openIntentLog(path, lock, {
      ...{ opening, orphans: orphans.map(callOf), crc: end.crc, points, now },
    })
    files.push(intentLog)
    const doubts = orphans.map(doubt => orphanLine(doubt, describe, opening.run))
    await Promise.all([JSON.stringify(opening), ...doubts].map(line => log.append(line)))
`,
    to: `    const doubts = orphans.map(doubt => orphanLine(doubt, describe, opening.run))
    await Promise.all([JSON.stringify(opening), ...doubts].map(line => log.append(line)))
    const intentLog = await openIntentLog(path, lock, {
      ...{ opening, orphans: orphans.map(callOf), crc: end.crc, points, now },
    })
    files.push(intentLog)
`,
  },
  'a new intent log relies on lines of the result log that were not synced': {
    file: 'store/files/journal.ts',
    from: `  const log = await openResultLog(path, end, lock, points)
  const files: { close(isClosed: boolean): Promise<void> }[] = [log]
  try {
    const intentLog = await openIntentLog(path, lock, {
      ...{ opening, orphans: orphans.map(callOf), crc: end.crc, points, now },
    })
    files.push(intentLog)
`,
    to: `  const files: { close(isClosed: boolean): Promise<void> }[] = []
  try {
    const intentLog = await openIntentLog(path, lock, {
      ...{ opening, orphans: orphans.map(callOf), crc: end.crc, points, now },
    })
    const log = await openResultLog(path, end, lock, points)
    files.push(log, intentLog)
`,
  },
  'an opening may come after the lock was lost': {
    file: 'store/files/result-log.ts',
    from: 'if (chain.lines === 0) lock.check()',
    to: '',
  },
  'a new intent log lacks the calls of the run before': {
    file: 'store/files/journal.ts',
    from: 'orphans: orphans.map(callOf)',
    to: 'orphans: []',
  },
  'the last group is not written again after a failed sync': {
    file: 'store/files/result-log.ts',
    from: 'if (cutTo > 0) writeAgain(path, groupAt, cutTo)',
    to: '',
  },
  'a torn end is taken for unsynced where a later group shows that it was on disk': {
    file: 'store/files/whole-lines.ts',
    from: 'const isGroup = parsed !== undefined && beginsGroup(parsed)',
    to: 'const isGroup = false',
  },
  'a late line of an earlier run is not counted': {
    file: 'store/files/whole-lines.ts',
    from: 'if (this.#ends.push(crc) >',
    to: 'if (run !== this.newest) return true\nthis.#ends = []\nif (this.#ends.push(crc) >',
  },
  'a late line may not come before the opening of the next run': {
    file: 'store/files/whole-lines.ts',
    from: 'if (this.#ends.push(crc) >',
    to: 'if (run === this.newest) this.#ends = []\nif (this.#ends.push(crc) >',
  },
  'a repair does not see that the end is missing': {
    file: 'features/log-tools/repair.ts',
    from: 'isLost ||= pairing.faultOf(log, check, undefined) !== undefined',
    to: '',
  },
}
