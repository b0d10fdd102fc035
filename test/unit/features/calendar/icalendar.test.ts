import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { icalendarRows } from '../../../../src/features/calendar/icalendar.ts'
import type { Chunk } from '../../../../src/features/ledger/chunk-reader.ts'
import { divide } from '../../../../src/features/ledger/chunks.ts'
import { SourceError } from '../../../../src/model/errors.ts'
import type { Row } from '../../../../src/model/row.ts'
import { check, chunksOf, fileWith, piecesOf, sourceProblem } from '../../../support/read-input.ts'

/** A calendar with these lines. */
const calendar = (...lines: readonly string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n')
const todo = (...lines: readonly string[]) => ['BEGIN:VTODO', ...lines, 'END:VTODO'].join('\r\n')

async function read(text: string | Buffer, pieces?: number, list?: string): Promise<Row[]> {
  const rows: Row[] = []
  const bytes = Readable.from(piecesOf(Buffer.from(text), pieces))
  for await (const batch of icalendarRows(bytes, 't.ics', { rows: list })) rows.push(...batch)
  return rows
}

const objectsIn = async (text: string) => (await read(text)).map(row => Object.fromEntries(row.cells()))
/** The members of one task. */
const members = async (...lines: readonly string[]) => (await objectsIn(calendar(todo(...lines))))[0]

describe('task of a calendar', () => {
  it('a task of a calendar is an object of its properties', async () => {
    const lines = [
      'UID:a1',
      'DTSTAMP:20260901T000000Z',
      'SUMMARY:Paint\\, then wait',
      'DESCRIPTION:One\\nTwo\\;',
      'STATUS:IN-PROCESS',
      'PERCENT-COMPLETE:40',
      'PRIORITY:1',
      'CATEGORIES:shop\\, door,urgent',
      'CATEGORIES:blue',
      'URL:https://example.com/a\\b',
      'GEO:37.38;-122.08',
      'CLASS:PRIVATE',
      'X-APPLE-SORT-ORDER:5',
      'ORGANIZER;CN="Stone, Ada":mailto:ada@example.com',
      'ATTENDEE;CN=Noor:MAILTO:noor@example.com',
      'ATTENDEE:urn:uuid:1',
    ]
    expect(await members(...lines)).toEqual({
      uid: 'a1',
      summary: 'Paint, then wait',
      description: 'One\nTwo;',
      status: 'IN-PROCESS',
      percent: 40,
      priority: 1,
      categories: ['shop, door', 'urgent', 'blue'],
      url: 'https://example.com/a\\b',
      geo: '37.38;-122.08',
      class: 'PRIVATE',
      'x-apple-sort-order': '5',
      organizer: { name: 'Stone, Ada', email: 'ada@example.com' },
      attendees: [{ name: 'Noor', email: 'noor@example.com' }, { uri: 'urn:uuid:1' }],
    })
  })

  it('a task of a calendar has its place in the tree by RELATED-TO', async () => {
    expect(await members('RELATED-TO:p')).toEqual({ parent: 'p' })
    const lines = ['RELATED-TO;RELTYPE=CHILD:c', 'RELATED-TO;RELTYPE=PARENT:p', 'RELATED-TO:q']
    expect(await members(...lines)).toEqual({
      parent: 'p',
      related: [
        { uid: 'c', type: 'child' },
        { uid: 'q', type: 'parent' },
      ],
    })
  })

  it('a task of a calendar stands without its alarms, and without events and journals', async () => {
    const alarm = ['BEGIN:VALARM', 'DESCRIPTION:no', 'END:VALARM']
    const event = ['BEGIN:VEVENT', 'SUMMARY:no', ...alarm, 'END:VEVENT']
    const rows = await read(calendar(...event, todo('SUMMARY:yes', ...alarm, 'CLASS:PUBLIC'), ...event))
    expect(rows.map(row => [row.line, ...row.cells()])).toEqual([
      [1, ['summary', 'yes'], ['class', 'PUBLIC']],
    ])
  })

  it('a task of a calendar knows the name of its calendar, of which a file may have several', async () => {
    const of = (name: string) => calendar(`X-WR-CALNAME:${name}`, todo('UID:1'))
    expect(await objectsIn(of('Shop') + of('Home\\, sweet'))).toEqual([
      { uid: '1', calendar: 'Shop' },
      { uid: '1', calendar: 'Home, sweet' },
    ])
    expect(await objectsIn(of('Shop') + calendar(todo('UID:1')))).toEqual([
      { uid: '1', calendar: 'Shop' },
      { uid: '1' },
    ])
  })

  it('a task of a calendar may be of version 1.0', async () => {
    const lines = ['CATEGORIES:a;b', 'SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:J=C3=B6rg']
    expect(await members(...lines)).toEqual({ categories: ['a', 'b'], summary: 'Jörg' })
  })
})

const observance = (name: string, start: string, from: string, to: string, ...rules: string[]) =>
  [
    `BEGIN:${name}`,
    `DTSTART:${start}`,
    `TZOFFSETFROM:${from}`,
    `TZOFFSETTO:${to}`,
    ...rules,
    `END:${name}`,
  ].join('\n')
const zone = (id: string, ...observances: readonly string[]) =>
  ['BEGIN:VTIMEZONE', `TZID:${id}`, ...observances, 'END:VTIMEZONE'].join('\n')

const berlin = zone(
  'W. Europe Standard Time',
  observance('STANDARD', '16010101T030000', '+0200', '+0100', 'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10'),
  observance('DAYLIGHT', '16010101T020000', '+0100', '+0200', 'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3'),
)
const auckland = zone(
  'Kiwi',
  observance('DAYLIGHT', '20070930T020000', '+1200', '+1300', 'RRULE:FREQ=YEARLY;BYMONTH=9;BYDAY=-1SU'),
  observance('STANDARD', '20080406T030000', '+1300', '+1200', 'RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU'),
)
/** The rules of 1987 to 2006 end there; those of today follow. */
const newYork = zone(
  'East',
  observance(
    'DAYLIGHT',
    '19870405T020000',
    '-0500',
    '-0400',
    'RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU;UNTIL=20060402T070000Z',
  ),
  observance(
    'STANDARD',
    '19871025T020000',
    '-0400',
    '-0500',
    'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU;UNTIL=20061029T060000Z',
  ),
  observance('DAYLIGHT', '20070311T020000', '-0500', '-0400', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU'),
  observance('STANDARD', '20071104T020000', '-0400', '-0500', 'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU'),
)
const listed = zone(
  'Listed',
  observance('STANDARD', '20200101T000000', '+0000', '+0100'),
  observance('DAYLIGHT', '20210601T000000', '+0100', '+0330', 'RDATE:20220601T000000,20230601T000000'),
  observance('STANDARD', '20210901T000000', '+0330', '+0100', 'RDATE:20220901T000000'),
)
/** Its name stands behind its rules. */
const late = [
  'BEGIN:VTIMEZONE',
  observance('STANDARD', '19700101T000000', '-0200', '-0200'),
  'TZID:Late',
  'END:VTIMEZONE',
].join('\n')
const zones = [berlin, auckland, newYork, listed, late]

describe('time', () => {
  const due = async (line: string) => (await objectsIn(calendar(...zones, todo(line))))[0]?.due

  it.each([
    ['DUE;VALUE=DATE:20261005', '2026-10-05'],
    ['DUE:20261005T143000Z', '2026-10-05T14:30:00Z'],
    ['DUE:20261005T143000', '2026-10-05T14:30:00'],
    ['DUE:20161231T235960Z', '2016-12-31T23:59:59Z'],
    // a name of IANA
    ['DUE;TZID=Europe/Berlin:20261005T143000', '2026-10-05T14:30:00+02:00'],
    ['DUE;TZID=Europe/Berlin:20261205T143000', '2026-12-05T14:30:00+01:00'],
    ['DUE;TZID=Asia/Kolkata:20261005T143000', '2026-10-05T14:30:00+05:30'],
    ['DUE;TZID=America/St_Johns:20261005T143000', '2026-10-05T14:30:00-02:30'],
    ['DUE;TZID=/freeassociation.sourceforge.net/Europe/London:20261205T143000', '2026-12-05T14:30:00+00:00'],
    ['DUE;TZID=/mozilla.org/20050126_1/America/Argentina/Salta:20261005T143000', '2026-10-05T14:30:00-03:00'],
    // 2:30 is left out on 29 March, and comes twice on 25 October: RFC 5545 says which is meant
    ['DUE;TZID=Europe/Berlin:20260329T023000', '2026-03-29T02:30:00+01:00'],
    ['DUE;TZID=Europe/Berlin:20261025T023000', '2026-10-25T02:30:00+02:00'],
    ['DUE;TZID=Europe/Berlin:20261025T030000', '2026-10-25T03:00:00+01:00'],
    // the rules of the file
    ['DUE;TZID="W. Europe Standard Time":20261005T143000', '2026-10-05T14:30:00+02:00'],
    ['DUE;TZID=W. Europe Standard Time:20260329T015959', '2026-03-29T01:59:59+01:00'],
    ['DUE;TZID=W. Europe Standard Time:20260329T023000', '2026-03-29T02:30:00+01:00'],
    ['DUE;TZID=W. Europe Standard Time:20260329T030000', '2026-03-29T03:00:00+02:00'],
    ['DUE;TZID=W. Europe Standard Time:20261025T023000', '2026-10-25T02:30:00+02:00'],
    ['DUE;TZID=W. Europe Standard Time:20261025T030000', '2026-10-25T03:00:00+01:00'],
    ['DUE;TZID=Kiwi:20260110T090000', '2026-01-10T09:00:00+13:00'],
    ['DUE;TZID=Kiwi:20260610T090000', '2026-06-10T09:00:00+12:00'],
    ['DUE;TZID=Kiwi:20261010T090000', '2026-10-10T09:00:00+13:00'],
    ['DUE;TZID=East:20060401T090000', '2006-04-01T09:00:00-05:00'],
    ['DUE;TZID=East:20060402T090000', '2006-04-02T09:00:00-04:00'],
    ['DUE;TZID=East:20070315T090000', '2007-03-15T09:00:00-04:00'],
    ['DUE;TZID=East:19800715T090000', '1980-07-15T09:00:00-05:00'],
    ['DUE;TZID=Listed:20190701T090000', '2019-07-01T09:00:00+00:00'],
    ['DUE;TZID=Listed:20220701T090000', '2022-07-01T09:00:00+03:30'],
    ['DUE;TZID=Listed:20230701T090000', '2023-07-01T09:00:00+03:30'],
    ['DUE;TZID=Listed:20221001T090000', '2022-10-01T09:00:00+01:00'],
    ['DUE;TZID=Late:20221001T090000', '2022-10-01T09:00:00-02:00'],
    // what nobody can read stays as it is
    ['DUE;TZID=Elsewhere:20261005T143000', '20261005T143000 Elsewhere'],
    ['DUE:20260230', '20260230'],
    ['DUE:20261005T250000Z', '20261005T250000Z'],
    ['DUE:tomorrow', 'tomorrow'],
  ])('a time: %s is %s', async (line, expected) => {
    expect(await due(line)).toBe(expected)
  })

  it.each([
    ['DTSTART;VALUE=DATE:20261005', 'P2D', '2026-10-07'],
    ['DTSTART;VALUE=DATE:20261005', 'PT90M', '2026-10-05T01:30:00'],
    ['DTSTART:20261005T100000Z', 'P1W', '2026-10-12T10:00:00Z'],
    ['DTSTART:20261005T100000', 'PT1H30M', '2026-10-05T11:30:00'],
    // a day is one of the calendar, an hour is not
    ['DTSTART;TZID=Europe/Berlin:20261024T100000', 'P1D', '2026-10-25T10:00:00+01:00'],
    ['DTSTART;TZID=Europe/Berlin:20261024T100000', 'PT24H', '2026-10-25T10:00:00+02:00'],
    ['DTSTART:20261005T100000Z', 'soon', '20261005T100000Z soon'],
    ['DTSTART:20261005T100000Z', 'P', '20261005T100000Z P'],
  ])('a time from %s on for %s ends %s', async (start, duration, expected) => {
    expect(await members(start, `DURATION:${duration}`)).toMatchObject({ due: expected, duration })
  })
})

describe('recurring task', () => {
  const rule = (...lines: readonly string[]) => todo('UID:r', 'SUMMARY:Water', ...lines)
  const done = (id: string) => todo('UID:r', `RECURRENCE-ID${id}`, 'SUMMARY:Watered', 'STATUS:COMPLETED')

  it('a recurring task is its first occurrence, with its rule', async () => {
    expect(await objectsIn(calendar(rule('DUE:20261005T090000Z', 'RRULE:FREQ=DAILY')))).toEqual([
      { uid: 'r', summary: 'Water', due: '2026-10-05T09:00:00Z', recurs: 'FREQ=DAILY' },
    ])
  })

  it('a recurring task is the first occurrence that is not done, and the others are no rows', async () => {
    const start = ';TZID=Europe/Berlin:20261022T090000'
    const lines = [
      `DTSTART${start}`,
      'DUE;TZID=Europe/Berlin:20261023T100000',
      'RRULE:FREQ=WEEKLY;BYDAY=TH,MO',
    ]
    const text = calendar(rule(...lines, 'EXDATE:20261026T080000Z'), done(start), todo('UID:other'))
    const rows = await read(text)
    expect(rows.map(({ row, line }) => [row, line])).toEqual([
      [1, 1],
      [2, 3],
    ])
    expect(Object.fromEntries(rows[0]?.cells() ?? [])).toEqual({
      uid: 'r',
      summary: 'Water',
      start: '2026-10-29T09:00:00+01:00',
      due: '2026-10-30T10:00:00+01:00',
      recurs: 'FREQ=WEEKLY;BYDAY=TH,MO',
    })
  })

  it('a recurring task is the next occurrence as it was changed', async () => {
    const changed = todo(
      'UID:r',
      'RECURRENCE-ID:20261006T090000Z',
      'SUMMARY:Two cans',
      'DUE:20261007T120000Z',
    )
    const text = calendar(
      changed,
      done(':20261005T090000Z'),
      rule('DUE:20261005T090000Z', 'RRULE:FREQ=DAILY'),
    )
    expect(await objectsIn(text)).toEqual([
      {
        uid: 'r',
        summary: 'Two cans',
        due: '2026-10-07T12:00:00Z',
        recurs: 'FREQ=DAILY',
      },
    ])
  })

  it('a recurring task is its last occurrence if all are done, else the first open one', async () => {
    const daily = rule('DUE:20261005T090000Z', 'RRULE:FREQ=DAILY;COUNT=2')
    const both = [done(':20261005T090000Z'), done(':20261006T090000Z')]
    expect(await objectsIn(calendar(daily, ...both))).toMatchObject([
      { status: 'COMPLETED', summary: 'Watered', recurs: 'FREQ=DAILY;COUNT=2' },
    ])
    const open = todo('UID:r', 'RECURRENCE-ID:20261007T090000Z', 'SUMMARY:Open')
    expect(await objectsIn(calendar(...both, open))).toMatchObject([
      { summary: 'Open', recurrence_id: '2026-10-07T09:00:00Z' },
    ])
  })

  it('a recurring task is where KDE says that it is', async () => {
    const lines = ['DTSTART:20261005T090000', 'DUE:20261006T100000', 'RRULE:FREQ=WEEKLY']
    const [task] = await objectsIn(calendar(rule(...lines, 'X-KDE-LIBKCAL-DTRECURRENCE:20261020T100000')))
    expect(task).toMatchObject({ start: '2026-10-19T09:00:00', due: '2026-10-20T10:00:00' })
  })

  it.each([
    ['EXDATE;VALUE=DATE:20261005', '2026-10-06T09:00:00+02:00'],
    ['EXDATE:20261005T090000', '2026-10-06T09:00:00+02:00'],
    ['EXDATE:20261005T070000Z,20261006T070000Z', '2026-10-07T09:00:00+02:00'],
    ['EXDATE;TZID=Asia/Tokyo:20261005T160000', '2026-10-06T09:00:00+02:00'],
    ['EXDATE:20261005T090000Z', '2026-10-05T09:00:00+02:00'],
  ])('a recurring task with %s is next on %s', async (line, expected) => {
    const task = rule('DTSTART;TZID=Europe/Berlin:20261005T090000', 'RRULE:FREQ=DAILY', line)
    expect((await objectsIn(calendar(task)))[0]?.start).toBe(expected)
  })

  it('a recurring task that moved on with its completed occurrences behind it is where it is', async () => {
    const task = rule('DUE:20261012T090000Z', 'RRULE:FREQ=WEEKLY;COUNT=3')
    expect(await objectsIn(calendar(task, done(':20261005T090000Z')))).toMatchObject([
      { due: '2026-10-12T09:00:00Z' },
    ])
  })

  it.each([
    ['FREQ=DAILY;INTERVAL=3', '2026-10-08'],
    ['FREQ=DAILY;BYDAY=SA,SU', '2026-10-10'],
    ['FREQ=WEEKLY', '2026-10-12'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU', '2026-10-11'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU', '2026-10-18'],
    ['FREQ=MONTHLY', '2026-11-05'],
    ['FREQ=MONTHLY;BYDAY=+2TU', '2026-10-13'],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', '2026-10-31'],
    ['FREQ=MONTHLY;BYMONTHDAY=31;INTERVAL=1;BYMONTH=12', '2026-12-31'],
    ['FREQ=YEARLY', '2027-10-05'],
    ['FREQ=YEARLY;BYMONTH=03;BYDAY=-1FR', '2027-03-26'],
    ['FREQ=YEARLY;BYMONTHDAY=13;BYDAY=FR', '2026-11-13'],
    ['FREQ=DAILY;UNTIL=20261006', '2026-10-06'],
    // none is left, or nobody knows when it is: the last one, or what nothing takes for a date
    ['FREQ=DAILY;UNTIL=20261005', undefined],
    ['FREQ=DAILY;COUNT=1', undefined],
    ['FREQ=YEARLY;BYWEEKNO=3', '20261005'],
    ['FREQ=YEARLY;BYDAY=20MO', '20261005'],
    ['FREQ=HOURLY', '20261005'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', undefined],
    ['nonsense', '20261005'],
  ])('a recurring task by %s that is done on 5 October is next on %s', async (recurs, expected) => {
    const task = rule('DUE;VALUE=DATE:20261005', `RRULE:${recurs}`)
    const [row] = await objectsIn(calendar(task, done(';VALUE=DATE:20261005')))
    expect(row?.due).toBe(expected)
  })
})

describe('calendar', () => {
  it('a calendar is read the same wherever it is cut into pieces', async () => {
    const text = calendar(
      ...zones,
      todo('SUMMARY:J\\n\r\n örg', 'DUE;TZID=Kiwi:20260110T090000'),
      todo('UID:2'),
    )
    const whole = (await read(text)).map(row => [...row.cells()])
    expect(whole).toHaveLength(2)
    for (const pieces of [1, 2, 3, 7, 64])
      expect((await read(text, pieces)).map(row => [...row.cells()])).toEqual(whole)
  })

  it.each([
    ['another task', todo('UID:2')],
    ['an event', 'BEGIN:VEVENT\nEND:VEVENT'],
    ['the end of another component', 'END:VEVENT'],
    ['the end of the calendar', ''],
  ])('a calendar has a task without an end as an invalid row, before %s', async (_, next) => {
    const [row] = await read(calendar('BEGIN:VTODO', 'SUMMARY:broken', ...(next === '' ? [] : [next])))
    expect(row).toMatchObject({ row: 1, line: 1, text: 'SUMMARY:broken', fault: { code: 'task_not_ended' } })
  })

  it('a calendar has a task with an alarm without an end as an invalid row', async () => {
    const [row] = await read(calendar(todo('SUMMARY:a', 'BEGIN:VALARM', 'ACTION:DISPLAY')))
    expect(row?.fault?.code).toBe('task_not_ended')
  })

  it('a calendar has a task with a line that is no property as an invalid row', async () => {
    const [row] = await read(calendar(todo('DESCRIPTION:one', 'two, which should begin with a blank')))
    expect(row?.fault).toMatchObject({ code: 'not_a_property', params: { line: 5 } })
  })

  it('a calendar has the tasks that stand behind its end', async () => {
    expect(await objectsIn(`${calendar()}${todo('UID:1')}\n`)).toEqual([{ uid: '1' }])
    expect((await read(`${calendar()}BEGIN:VTODO\nUID:1\n`))[0]?.fault?.code).toBe('task_not_ended')
  })

  it('a calendar may be empty, but not without tasks if it has events', async () => {
    expect(await read(calendar())).toEqual([])
    const event = 'BEGIN:VEVENT\nEND:VEVENT'
    expect(await sourceProblem(read(calendar(event, event)))).toMatchObject({
      code: 'no_tasks',
      params: { source: 't.ics', events: 2 },
    })
  })

  it('events are tasks if they are wanted, and a date at which one ends is the day after', async () => {
    const event = (...lines: readonly string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n')
    const day = (end: string) => ['DTSTART;VALUE=DATE:20260521', `DTEND;VALUE=DATE:${end}`]
    const rows = await read(
      calendar(
        todo('UID:0'),
        event('UID:1', 'SUMMARY:Sweep', ...day('20260522'), 'DESCRIPTION:Nia', 'Due: Wed 5/6'),
        event('UID:2', ...day('20260521')),
        event('UID:3', 'DTSTART:20260521T090000Z', 'DTEND:20260521T103000Z', 'BEGIN:VALARM', 'END:VALARM'),
        event('UID:4', 'DTSTART:20260521T090000Z', 'DURATION:PT2H'),
      ),
      undefined,
      'events',
    )
    expect(rows.map(row => Object.fromEntries(row.cells()))).toEqual([
      { uid: '1', summary: 'Sweep', start: '2026-05-21', due: '2026-05-21', description: 'Nia' },
      { uid: '2', start: '2026-05-21', due: '2026-05-21' },
      { uid: '3', start: '2026-05-21T09:00:00Z', due: '2026-05-21T10:30:00Z' },
      expect.objectContaining({ uid: '4', due: '2026-05-21T11:00:00Z' }),
    ])
    expect(await read(calendar(todo('UID:0')), undefined, 'events')).toEqual([])
  })

  it('a calendar that is cut short or no calendar ends the reading', async () => {
    expect(await sourceProblem(read(calendar(todo('UID:1')).replace('END:VCALENDAR', '')))).toMatchObject({
      params: { why: 'not_ended' },
    })
    expect(await sourceProblem(read('name,date\nA,1\n'))).toMatchObject({ params: { why: 'not_begun' } })
  })

  it('a calendar is divided by its rows, for several machines', async () => {
    const tasks = Array.from({ length: 250 }, (_, at) => todo(`UID:${at}`, `SUMMARY:${'é'.repeat(at)}`))
    const sources = await check([await fileWith('a.ics', calendar(...zones, ...tasks))])
    const { chunks } = await divide(sources)
    const last = chunks[2] as Chunk
    expect(last).toMatchObject({ firstRow: 201, firstLine: 201, rows: 50 })
    const uids: unknown[] = []
    for await (const rows of chunksOf(sources[0])?.read(last) ?? [])
      uids.push(...rows.map(row => row.value('uid')))
    await chunksOf(sources[0])?.close()
    expect(uids).toEqual(tasks.slice(200).map((_, at) => String(200 + at)))
  })

  it('a calendar is rows or a SourceError, whatever its lines are', async () => {
    const line = fc.oneof(
      fc.constantFrom(
        'BEGIN',
        'END',
        'DTSTART',
        'DUE;TZID=Kiwi',
        'RRULE',
        'EXDATE',
        'RECURRENCE-ID',
        'DURATION',
        'TZOFFSETTO',
      ),
      fc.string({ maxLength: 5 }),
    )
    const value = fc.oneof(
      fc.constantFrom(
        'VCALENDAR',
        'VTODO',
        'VALARM',
        'VTIMEZONE',
        'STANDARD',
        '20261005T090000',
        '20261006',
        '+0100',
        'P1D',
      ),
      fc.constantFrom(
        'FREQ=DAILY;COUNT=3',
        'FREQ=WEEKLY;BYDAY=,',
        'FREQ=YEARLY;INTERVAL=0',
        'FREQ=MONTHLY;UNTIL=x',
      ),
      fc.string({ maxLength: 5 }),
    )
    const lines = fc.array(fc.tuple(line, value), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(lines, async pairs => {
        const text = calendar(...[auckland, 'BEGIN:VTODO'], ...pairs.map(pair => pair.join(':')), 'END:VTODO')
        const end = await read(text).catch(error => error)
        if (!(end instanceof SourceError))
          expect(end.map(({ row }: Row) => row)).toEqual([...end.keys()].map(at => at + 1))
      }),
    )
  })

  it('a calendar is closed if its reading fails', async () => {
    let isClosed = false
    const bytes = (async function* () {
      try {
        yield Buffer.from('name,date\n')
        yield Buffer.from('A,1\n')
      } finally {
        isClosed = true
      }
    })()
    const rows = icalendarRows(bytes, 't.ics')
    await rows.next()
    expect(await sourceProblem(rows.next())).toMatchObject({ code: 'bad_calendar' })
    expect(isClosed).toBe(true)
  })

  it('a calendar describes no zone with more than 200 kB or with a rule by days', async () => {
    const wild = observance('STANDARD', '16010101T000000', '+0000', '+0100', 'RRULE:FREQ=DAILY')
    const large = observance('STANDARD', '19700101T000000', '+0000', '+0100', `X-A:${'x'.repeat(200_000)}`)
    const text = calendar(
      ...[zone('Wild', wild), zone('Large', large)],
      ...['Wild', 'Large'].map(id => todo(`DUE;TZID=${id}:20261005T143000`)),
    )
    expect((await objectsIn(text)).map(({ due }) => due)).toEqual([
      '20261005T143000 Wild',
      '20261005T143000 Large',
    ])
  })

  it('a calendar has no task over 10 MB', async () => {
    const lines = Array.from({ length: 11 }, () => `COMMENT:${'x'.repeat(1_000_000)}`)
    const rows = await read(calendar(todo(...lines), todo('UID:2')))
    expect(rows.map(({ fault }) => fault?.code)).toEqual(['too_long', undefined])
  })
})
