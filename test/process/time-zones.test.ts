import { expect, it } from 'vitest'
import { folderWith, linesOf, start } from '../support/rowlift.ts'

const mapping = `record: task
allow_unknown_fields: true
body:
  name: { from: Name }
  plain: { expr: $toMillis(When) }
  day: { expr: '$toMillis($substring(When, 0, 10))' }
  fraction: { expr: '$toMillis(When & ".5")' }
  zoned: { expr: $toMillis(When), zone: Europe/Berlin }
  pictured: { expr: '$toMillis(Written, "[D1].[M1].[Y0001] [H01]:[m01]")' }
  named: { expr: '$toMillis(Written, "[D1].[M1].[Y0001] [H01]:[m01]")', zone: America/Chicago }
  written: { expr: '$fromMillis($toMillis(When))' }
  in_words: { expr: '$fromMillis($toMillis(When), "[FNn], [D1o] [MNn] [Y] [h]:[m01] [P] [z]")' }
  offset: { expr: '$fromMillis($toMillis(When), "[H01]:[m01] [Z]", "+0530")' }
  whole_hours: { expr: '$floor($toMillis(When) / 3600000)' }
  date: { expr: $date(When) }
  their_day: { expr: '$day(Written, "d.M.yyyy HH:mm")' }
  as_date: { from: When, as: date }
  as_datetime: { from: Written, as: datetime, format: 'd.M.yyyy HH:mm' }
  from_excel: { from: Serial, as: datetime, format: excel }
  from_epoch: { from: Epoch, as: datetime, format: epoch_s }
`
const rows = `Name,When,Written,Serial,Epoch
Autumn,2026-10-05T09:00:00,5.10.2026 09:00,46300.5,1791144000
Night,2026-04-05T02:30:00,5.4.2026 02:30,46117.25,1775356200
Spring,2026-03-08T02:30:00,8.3.2026 03:30,46089,1772930000
`

it('a machine makes the same bodies in every time zone', async () => {
  const cwd = await folderWith({ 'm.yaml': mapping, 't.csv': rows })
  const bodiesIn = async (TZ: string) => {
    const args = ['import', 't.csv', '-m', 'm.yaml', '--dry-run', '--preview', '-']
    const { stdout } = await start(args, { cwd, stdin: '', env: { TZ } }).ended
    return linesOf(stdout).map(({ body, errors }) => body ?? errors)
  }
  const [auckland, angeles, utc] = await Promise.all(
    ['Pacific/Auckland', 'America/Los_Angeles', 'UTC'].map(bodiesIn),
  )
  expect(utc?.[0]).toMatchObject({
    plain: Date.parse('2026-10-05T09:00:00Z'),
    zoned: Date.parse('2026-10-05T07:00:00Z'),
    named: Date.parse('2026-10-05T14:00:00Z'),
  })
  expect(auckland).toEqual(utc)
  expect(angeles).toEqual(utc)
})
