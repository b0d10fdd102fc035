import { testOptions } from '../../app/command-options.ts'
import { exitCodes } from '../../app/exit-code.ts'
import { mappingPath } from '../../app/paths.ts'
import { pathIn } from '../../app/ports.ts'
import { loadMapping } from '../../mapping/document.ts'
import { runTests } from '../../mapping/run-tests.ts'
import { UsageError } from '../../model/errors.ts'
import type { TestedFile } from '../../model/mapping-report.ts'
import { describeTests, describeTestTotal } from '../../report/command-output.ts'
import { describeError } from '../../report/words.ts'
import { type CliContext, type Run, tell } from '../context.ts'
import { parseFlags } from '../settings-sources.ts'

/** `rowlift test`: once, or whenever a mapping is saved; returns the exit code. Throws a UsageError without any test. */
export const testCommand: Run = async ({ positionals: mappings, flags }, context) => {
  if (mappings.length === 0) throw new UsageError('no_mapping_named')
  if (!parseFlags(testOptions, flags, context).watch) return testAll(mappings, context)
  const { watchFiles } = await import('./watch.ts')
  const files = mappings.map(name => mappingPath(pathIn(context, name)))
  return watchFiles(files, context, async () => void (await testAll(mappings, context)))
}

/** Tests mapping files, also after one with faults. */
async function testAll(mappings: readonly string[], context: CliContext): Promise<number> {
  const { stdout, stdoutHasColors, stderr } = context
  const tested: TestedFile[] = []
  let unusable = 0
  for (const name of mappings) {
    try {
      const mapping = await loadMapping(mappingPath(pathIn(context, name)), name)
      const file = { file: name, results: runTests(mapping) }
      tested.push(file)
      tell(stdout, describeTests(file, stdoutHasColors))
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      unusable += 1
      tell(stderr, `rowlift: ${describeError(error)}\n`)
    }
  }
  const results = tested.flatMap(file => file.results)
  if (results.length === 0 && unusable === 0) throw new UsageError('no_tests', { mappings })
  tell(stdout, describeTestTotal(tested, stdoutHasColors))
  if (unusable > 0) return exitCodes.usage
  return results.some(({ differences }) => differences.length > 0) ? exitCodes.someBad : exitCodes.finished
}
