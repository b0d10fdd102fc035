import { describe, expect, it } from 'vitest'
import { replay } from '../../../../src/store/files/checkpoint.ts'
import { readResultLines } from '../../../../src/store/files/result-log.ts'
import { logOf, openingLine, rowLine } from '../../../support/log-files.ts'

const made = (row: number, changes: object = {}) =>
  rowLine('created', row, { record_id: `r${row}`, ...changes })
const gone = (row: number, changes: object = {}) =>
  made(row, { run: 'F1', status: 'forgotten', by_hand: true, ...changes })
const opening = (command: string, run: string, changes: object = {}) =>
  openingLine(run, { command, at: '2026-11-22T08:00:00.000Z', ...changes })
const closing = (run: string, rows = 0, changes: object = {}) => ({
  run,
  at: '2026-11-22T08:00:01.000Z',
  ended: { rows },
  ...changes,
})
const ended = (command: string, run: string) => closing(run, 0, { command })

const keysIn = async (log: string) => {
  const keys: (string | undefined)[] = []
  for await (const lines of readResultLines(log)) keys.push(...lines.map(({ line }) => line.key ?? line.run))
  return keys
}

describe('runs of a result log that are commands', () => {
  it('a command that was killed changes nothing, and what a person wrote after it counts', async () => {
    const byHand = made(2, { run: 'H1', by_hand: true })
    const log = await logOf(
      ...[openingLine(), made(1), rowLine('in_doubt', 2, { errors: [] })],
      ...[opening('forget', 'F1', { base_url: 'https://x' }), gone(1), byHand],
      ...[opening('move', 'M1', { base_url: 'https://y' }), openingLine('R2'), made(3, { run: 'R2' })],
    )
    const checkpoint = await replay(log, { records: true })
    expect([1, 2, 3].map(row => checkpoint.get(`k${row}`, '')?.status)).toEqual([
      'settled',
      'settled',
      'settled',
    ])
    expect([1, 2, 3].map(row => checkpoint.ownerOf(`r${row}`)?.row)).toEqual([1, 2, 3])
    expect(checkpoint).toMatchObject({ settled: 3, opening: { run: 'R2' } })
    expect(await keysIn(log)).toEqual(['R1', 'k1', 'k2', 'k2', 'R2', 'k3'])
  })

  it('a command counts from its closing line on, also when it was killed before', async () => {
    const log = await logOf(
      ...[openingLine(), made(1), made(2), closing('R1', 2)],
      ...[opening('forget', 'F0'), gone(1, { run: 'F0' })],
      ...[opening('forget', 'F1', { base_url: 'https://x' }), gone(1), gone(2), ended('forget', 'F1')],
    )
    const checkpoint = await replay(log, { records: true })
    expect(checkpoint.get('k1', '')?.status).toBe('refused')
    expect(['r1', 'r2'].map(id => checkpoint.ownerOf(id))).toEqual([undefined, undefined])
    expect(checkpoint).toMatchObject({ settled: 0, lastRows: 2 })
    expect(checkpoint.opening).toMatchObject({ run: 'R1', base_url: 'https://x' })
    expect(checkpoint.opening).not.toHaveProperty('command')
  })

  it('a record that was forgotten can be had again, by another row, too', async () => {
    const log = await logOf(
      ...[openingLine(), made(1), opening('forget', 'F1'), gone(1), ended('forget', 'F1')],
      ...[openingLine('R2'), made(2, { run: 'R2', record_id: 'R1' })],
    )
    const checkpoint = await replay(log, { records: true })
    expect(checkpoint.ownerOf('r1')).toEqual({ source: 'contacts.csv', row: 2 })
    expect(checkpoint).toMatchObject({ settled: 1 })
  })

  it('a command of 20,000 rows is looked ahead over, and not kept in memory', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => at + 1)
    const log = await logOf(
      openingLine(),
      ...rows.map(row => made(row)),
      opening('forget', 'F1'),
      ...rows.map(row => gone(row)),
      ended('forget', 'F1'),
    )
    const checkpoint = await replay(log, { records: true })
    expect(checkpoint).toMatchObject({ settled: 0 })
    expect(rows.filter(row => checkpoint.ownerOf(`r${row}`))).toEqual([])
    const unended = await logOf(
      openingLine(),
      ...rows.map(row => made(row)),
      opening('forget', 'F1'),
      ...rows.map(row => gone(row)),
    )
    expect(await replay(unended, {})).toMatchObject({ settled: 20_000 })
  })
})
