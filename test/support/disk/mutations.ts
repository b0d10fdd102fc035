import type { Patch } from './journal-code.ts'

/** Mistakes of which each breaks the promise, by what the code does then. */
export const mutations: Readonly<Record<string, Patch>> = {
  'a call goes out before its intent is synced': {
    file: 'journal/intent-log.ts',
    from: 'await this.#file.datasync().catch(error => throwFirst(this.#lock, error))',
    to: '',
  },
  'an intent is forgotten before its outcome is synced': {
    file: 'journal/journal.ts',
    from: 'const line = resultLine(outcome',
    to: 'if (endsCall(outcome)) intentLog.forget(outcome.identity.key)\nconst line = resultLine(outcome',
  },
  'a folder is not synced after a rename': {
    file: 'journal/durable-file.ts',
    from: 'this.#path = path\n    await syncFolderOf(path)',
    to: 'this.#path = path',
  },
  'a refusal ends a doubt': {
    file: 'journal/checkpoint.ts',
    from: "if (before.status === 'in_doubt' && status === 'refused' && !line.byHand) return before",
    to: '',
  },
  'a torn line is taken for a whole one': {
    file: 'journal/whole-lines.ts',
    from: 'tail ??= { cutTo: position, behind: [], damage }',
    to: 'tail ??= { cutTo: position + text.length, behind: [lineEnd], damage }',
  },
  'the folder of a log is not synced before it is written': {
    file: 'journal/durable-file.ts',
    from: 'await syncFolderOf(path)\n      return new',
    to: 'return new',
  },
}
