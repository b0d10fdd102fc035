import type { OpenQuestion } from '../../model/mapping-report.ts'
import { type Paint, paintFor } from '../../output/paint.ts'
import { counted, due, grouped, visible } from '../../output/text.ts'
import { describeProblem } from '../../output/words.ts'
import type { TestDifference, TestResult } from './run-tests.ts'

export interface TestedFile {
  readonly file: string
  readonly results: readonly TestResult[]
  readonly questions?: readonly OpenQuestion[]
}

/** The tests of a mapping file, each on a line; under one that fails, every field that differs; then its open questions. */
export function describeTests({ file, results, questions = [] }: TestedFile, hasColors: boolean): string {
  const paint = paintFor(hasColors)
  const open = questions.map(
    ({ place, text }) => `${paint('yellow', '?')} ${visible(text)} ${paint('dim', place)}`,
  )
  const lines = [...results.flatMap(result => resultLines(result, file, paint)), ...open]
  return `${paint('bold', file)}\n${results.length === 0 ? '  no tests\n' : ''}${lines.map(line => `  ${line}\n`).join('')}`
}

function resultLines(result: TestResult, file: string, paint: Paint): string[] {
  const { name, start, number, line, differences } = result
  const title = visible(name ?? `test ${number}${start && `: ${start}`}`)
  if (differences.length === 0) return [`${paint('green', '✓')} ${title}`]
  return [
    `${paint('red', '✗')} ${title} ${paint('dim', `${file}:${line}`)}`,
    ...differences.flatMap(difference => differenceLines(difference, paint)),
  ]
}

function differenceLines({ path, expected, received, problem }: TestDifference, paint: Paint): string[] {
  const refused = `an error${received === undefined ? '' : ` about ${fieldText(received)}`}`
  return [
    `    ${visible(path) || 'the row'}${problem === undefined ? '' : ` ${describeProblem(problem)}`}`,
    paint('green', `      - expected  ${fieldText(expected)}`),
    paint('red', `      + received  ${problem === undefined ? fieldText(received) : refused}`),
  ]
}

export const fieldText = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value))

export function describeTestTotal(files: readonly TestedFile[], hasColors: boolean): string {
  const paint = paintFor(hasColors)
  const results = files.flatMap(file => file.results)
  const failed = results.filter(result => result.differences.length > 0).length
  const passed = paint('green', `${grouped(results.length - failed)} passed`)
  const parts = due(failed > 0 && paint('red', `${grouped(failed)} failed`), passed)
  return `\n${parts.join(', ')}, ${counted(files.length, 'file')}\n`
}
