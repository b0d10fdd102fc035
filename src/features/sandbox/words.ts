import type { Words } from '../../output/words/sentence.ts'

export const sandboxWords = {
  usage: { sandbox_failed: 'the sandbox could not start: {reason}' },
} as const satisfies Record<string, Words>
