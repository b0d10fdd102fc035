import type { Words } from '../../output/words/sentence.ts'

export const migrationWords = {
  rows: {
    lookup_incomplete: `is not in the step {step}, which stopped at {--limit} before its last row
      → this row is tried again in the next run`,
  },
  files: {
    bad_step_name: `"{name}" cannot name a step, because a file is named after it
      → use at most 100 characters, without / or \\, and no dot or blank at the start`,
    stream_in_plan: (p: { part: string }) =>
      p.part === 'source'
        ? 'standard input cannot be a source of a plan, because all sources are checked before the first step → name a file'
        : 'standard output cannot be a result log of a plan, because a rerun could not resume from it → name a file',
    step_needs_itself: 'the step "{name}" cannot need itself',
    same_results: 'the step "{name}" has the same result log ({log}); each step needs its own',
    circular_steps: 'the steps wait for each other: {...steps| needs }',
    unknown_step: (p: { name: string; suggestion: string | undefined; known: readonly string[] }) =>
      `the plan has no step "{name}"${p.suggestion ? '{?suggestion}' : '; its steps are {...known|, }'}`,
    own_step: `this is the step "{name}" itself
      → find rows of the same import with { self: true, by: COLUMN }`,
  },
  usage: {
    set_in_plan: '{...settings|, }: is set in the plan, for each step → remove it here',
    plan_source_not_a_file:
      '{path}: is not a regular file and can be read only once; the step {step} needs one, because a plan checks all its sources before the first step',
  },
} as const satisfies Record<string, Words>
