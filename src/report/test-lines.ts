import { styleText } from 'node:util'
import type { FieldDifference, TestedFile, TestResult } from '../model/mapping-report.ts'
import { grouped } from './numbers.ts'
import { describeProblem } from './words.ts'

type Style = 'green' | 'red' | 'bold' | 'dim'
type Paint = (style: Style, text: string) => string

const painted: Paint = (style, text) => styleText(style, text, { validateStream: false })
const plain: Paint = (_, text) => text

/** The tests of a mapping file, each on a line; under one that fails, every field that differs. */
export function testedText({ file, results }: TestedFile, hasColors: boolean): string {
  const paint = hasColors ? painted : plain
  const lines = results.flatMap(result => resultLines(result, file, paint))
  return `${paint('bold', file)}\n${lines.length === 0 ? '  no tests\n' : ''}${lines.map(line => `  ${line}\n`).join('')}`
}

function resultLines(
  { name, start, number, line, differences }: TestResult,
  file: string,
  paint: Paint,
): string[] {
  const title = name ?? `test ${number}${start && `: ${start}`}`
  if (differences.length === 0) return [`${paint('green', '✓')} ${title}`]
  return [
    `${paint('red', '✗')} ${title} ${paint('dim', `${file}:${line}`)}`,
    ...differences.flatMap(difference => differenceLines(difference, paint)),
  ]
}

function differenceLines({ path, expected, received, problem }: FieldDifference, paint: Paint): string[] {
  return [
    `    ${path || 'the row'}${problem === undefined ? '' : ` ${describeProblem(problem)}`}`,
    paint('green', `      - expected  ${valueText(expected)}`),
    paint('red', `      + received  ${problem === undefined ? valueText(received) : refusedText(received)}`),
  ]
}

const valueText = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value))
const refusedText = (value: unknown) => `an error${value === undefined ? '' : ` about ${valueText(value)}`}`

/** How many tests of all files hold and fail. */
export function testedTotal(files: readonly TestedFile[], hasColors: boolean): string {
  const paint = hasColors ? painted : plain
  const results = files.flatMap(file => file.results)
  const failed = results.filter(result => result.differences.length > 0).length
  const parts = [
    ...(failed > 0 ? [paint('red', `${grouped(failed)} failed`)] : []),
    paint('green', `${grouped(results.length - failed)} passed`),
  ]
  return `\n${parts.join(', ')}, ${files.length} ${files.length === 1 ? 'file' : 'files'}\n`
}
