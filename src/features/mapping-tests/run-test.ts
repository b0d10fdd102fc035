import type { Run } from '../../cli/command.ts'
import { type CliContext, printTo } from '../../cli/context.ts'
import { byOption } from '../../features.ts'
import { loadMapping } from '../../mapping/mapping.ts'
import { UsageError } from '../../model/errors.ts'
import { counted } from '../../output/text.ts'
import { describeError } from '../../output/words.ts'
import { pathIn } from '../../platform/process-info.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { mappingPath } from '../../run/paths.ts'
import type { testOptions } from './options.ts'
import { runTests } from './run-tests.ts'
import { describeTests, describeTestTotal, type TestedFile } from './test-text.ts'
import { updateTests } from './update-tests.ts'

/** `rowlift test`: once, or whenever a mapping is saved; returns the exit code. Throws a UsageError without any test. */
export const runTest: Run<typeof testOptions> = async ({ positionals: mappings, values }, context) => {
  if (mappings.length === 0) throw new UsageError('no_mapping_named')
  if (values.update) await updateAll(mappings, context)
  if (!values.watch) return testAll(mappings, context)
  const { watchFiles } = await byOption.watch()
  const files = mappings.map(name => mappingPath(pathIn(context, name)))
  return watchFiles(files, context, async () => void (await testAll(mappings, context)))
}

async function updateAll(mappings: readonly string[], context: CliContext): Promise<void> {
  for (const name of mappings) {
    const path = mappingPath(pathIn(context, name))
    if (name.startsWith('preset:')) throw new UsageError('preset_not_written', { name })
    const failed = runTests(await loadMapping(path, name)).filter(({ differences }) => differences.length > 0)
    const changed = await updateTests(path, failed)
    if (changed > 0) printTo(context.stdout, `${name}: ${counted(changed, 'test')} updated\n`)
  }
}

/** Tests mapping files, also after one with faults. */
async function testAll(mappings: readonly string[], context: CliContext): Promise<number> {
  const { stdout, stdoutHasColors, stderr } = context
  const tested: TestedFile[] = []
  let unusable = 0
  for (const name of mappings) {
    try {
      const mapping = await loadMapping(mappingPath(pathIn(context, name)), name)
      const file = { file: name, results: runTests(mapping), questions: mapping.openQuestions }
      tested.push(file)
      printTo(stdout, describeTests(file, stdoutHasColors))
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      unusable += 1
      printTo(stderr, `rowlift: ${describeError(error)}\n`)
    }
  }
  const results = tested.flatMap(file => file.results)
  if (results.length === 0 && unusable === 0) throw new UsageError('no_tests', { mappings })
  printTo(stdout, describeTestTotal(tested, stdoutHasColors))
  if (unusable > 0) return exitCodes.usage
  return results.some(({ differences }) => differences.length > 0) ? exitCodes.someBad : exitCodes.finished
}
