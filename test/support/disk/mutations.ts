import type { Patch } from './journal-code.ts'

/** Mistakes of which each breaks the promise, by what the code does then. */
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
    from: 'renameSync(unfinished, path)\n    await syncFolderOf(path)',
    to: 'renameSync(unfinished, path)',
  },
  'a refusal ends a doubt': {
    file: 'store/files/checkpoint.ts',
    from: "if (before?.status === 'in_doubt' && status === 'refused' && !byHand) return before",
    to: '',
  },
  'a torn line is taken for a whole one': {
    file: 'store/files/whole-lines.ts',
    from: 'tail ??= { cutTo: position, lines: [], damage }',
    to: 'tail ??= { cutTo: position + text.length, behind: [lineEnd], damage }',
  },
  'the folder of a log is not synced before it is written': {
    file: 'store/files/durable-file.ts',
    from: 'await syncFolderOf(path)\n    return await',
    to: 'return await',
  },
}
