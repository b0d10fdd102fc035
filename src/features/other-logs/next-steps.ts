import { importWords } from '../../cli/args.ts'
import type { ParsedArgs } from '../../cli/command.ts'
import { step } from '../../cli/next-step.ts'
import type { UsageProblems } from '../../model/errors.ts'
import { sourceWord } from '../../output/text.ts'
import type { NextStep } from '../../result/run-result.ts'

/** Two ways on if another log has rows of an import; a plan names its logs itself. */
export function afterOtherLog(
  input: ParsedArgs,
  { other, same, isPacked, isStep }: UsageProblems['other_log'],
): NextStep[] {
  const goOn = [...importWords(input, { without: ['results'] }), '-o', sourceWord(other)]
  const begin = [...importWords(input, { without: ['newLog'] }), '--new-log']
  const steps = [
    ...(isStep || isPacked ? [] : [step('Go on with that log', goOn)]),
    step('Begin another log, and create these rows again', begin),
  ]
  return same === 0 ? steps.reverse() : steps
}
