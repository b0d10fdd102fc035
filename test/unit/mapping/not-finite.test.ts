import { expect, it } from 'vitest'
import { files } from '../../support/imports.ts'
import { linesOf, rowlift } from '../../support/rowlift.ts'

const large = `"1${'0'.repeat(400)}"`
const lastMs = '"8640000000000000"'

/** The outcome of a row whose field `other` is made of this JSON by this rule. */
async function outcomeOf(rule: string, json: string) {
  const cwd = await files({
    'map.yaml': `record: task\nallow_unknown_fields: true\nbody:\n  name: N\n  other: ${rule}\n`,
    'rows.ndjson': `{"V":${json}}\n`,
  })
  const args = ['import', 'rows.ndjson', '-m', 'map.yaml', '--dry-run', '--preview', '-']
  const [line] = linesOf((await rowlift(args, { cwd })).stdout)
  return line
}

it.each([
  ['{ from: V, as: number }', '1e400', 'number_too_large'],
  ['{ from: V, as: duration, unit: hours }', large, 'number_too_large'],
  ['{ from: V, as: duration, unit: seconds, input_unit: hours }', large, 'number_too_large'],
  ['{ from: V, as: date, format: epoch_ms, zone: Europe/Berlin }', lastMs, 'not_date'],
  [`{ expr: "$day(V, 'epoch_ms')", zone: Europe/Berlin }`, lastMs, 'expression_failed'],
  ['{ expr: $fromMillis($number(V)) }', '"1e300"', 'expression_failed'],
  [`{ expr: "$fromMillis(V, '[Y]-[M01]')" }`, '-1e300', 'expression_failed'],
  ['{ expr: V / 0 }', '1', 'expression_failed'],
])('a value that is no finite number or no date makes its row invalid: %s', async (rule, json, code) => {
  expect(await outcomeOf(rule, json)).toMatchObject({ status: 'invalid', errors: [{ code }] })
})

it.each([
  ['{ from: V }', '1e400'],
  ["'{{V}}'", '-1e+400'],
  ['{ from: V, as: json }', '"1e400"'],
])('a number that is too large for JSON.parse stays as written: %s', async (rule, json) => {
  expect(await outcomeOf(rule, json)).toMatchObject({ body: { other: json.replaceAll('"', '') } })
})
