import { brokenRow, readLine } from '../../input/ndjson.ts'
import { openObjects, primed, type Reader } from '../../input/reader.ts'
import { maxRowBytes, type SourceSettings } from '../../input/source.ts'
import { SourceError } from '../../model/errors.ts'
import { problem } from '../../model/problem.ts'
import type { Place, Row } from '../../model/row.ts'
import {
  bytesOfLine,
  type ContentLine,
  contentLines,
  linesText,
  problemOf,
  resolved,
} from '../cards/content-lines.ts'
import { addZone, type Zones } from './calendar-time.ts'
import { isOneTask, nextOf, objectOf, type Todo, withoutInner } from './todo.ts'

export const calendarReader: Reader = {
  open: async ({ path, bytes }, settings) =>
    openObjects(bytes, await primed(icalendarRows(bytes, path, settings))),
}

const components = /^V(CALENDAR|TODO|EVENT|JOURNAL|FREEBUSY|TIMEZONE)$/
const mostBytesOfZone = 200_000

/**
 * A row for each VTODO, or for each VEVENT if `list` is `events`; if occurrences of a recurring one follow each other, a row for the
 * next of them. Throws a SourceError if the bytes are no calendar, are cut short, or hold only events and these are not wanted.
 */
export async function* icalendarRows(
  bytes: AsyncIterable<Buffer>,
  source: string,
  { encoding, rows: list, keepsLines = false }: Pick<SourceSettings, 'encoding' | 'rows' | 'keepsLines'> = {},
): AsyncGenerator<Row[]> {
  const rows: Row[] = []
  const wanted = list === 'events' ? 'VEVENT' : 'VTODO'
  const zones: Zones = new Map()
  const counts: Record<string, number> = { VCALENDAR: 0, VTODO: 0, VEVENT: 0 }
  let calendar: { name?: string } | undefined
  /** Component that is read in the calendar, and its lines if it is wanted or a VTIMEZONE. */
  let current: string | undefined
  let lines: ContentLine[] = []
  let ownBytes = 0
  /** Occurrences of one task. */
  let todos: Todo[] = []
  let heldBytes = 0
  let number = 0

  function keep(line: ContentLine): void {
    if (counts.VCALENDAR === 0) throw new SourceError('bad_calendar', { source, why: 'not_begun' })
    if (current === undefined && line.name === 'X-WR-CALNAME' && calendar)
      calendar.name = resolved(line.value)
    if (current !== wanted && current !== 'VTIMEZONE') return
    ownBytes += line.value.length + bytesOfLine
    if (ownBytes <= maxRowBytes) lines.push(line)
  }

  /** A component that ends by another name, or not at all, is broken. */
  function close(name: string | undefined): void {
    const [component, own] = [current, lines]
    current = undefined
    lines = []
    if (component === wanted) closeTodo(own, name === component)
    if (component === 'VTIMEZONE' && name === component && ownBytes <= mostBytesOfZone) addZone(own, zones)
    ownBytes = 0
  }

  function closeTodo(all: readonly ContentLine[], isWhole: boolean): void {
    const own = isWhole ? withoutInner(all) : undefined
    const todo = { number: counts[wanted] ?? 0, lines: own ?? [] }
    const fault =
      (ownBytes > maxRowBytes && problem('too_long', { characters: maxRowBytes })) ||
      (own === undefined && problem('task_not_ended')) ||
      problemOf(all)
    heldBytes += ownBytes
    if (fault || heldBytes > maxRowBytes || !isOneTask(todos, todo)) flush()
    if (fault) rows.push(brokenRow(nextPlace(todo), linesText(all), fault))
    else todos.push(todo)
  }

  function flush(): void {
    const [first, ...others] = todos
    todos = []
    heldBytes = 0
    if (first === undefined) return
    const { todo, shift } = nextOf([first, ...others], zones)
    const object = { ...objectOf(todo, zones, shift), calendar: calendar?.name }
    rows.push(readLine(nextPlace(todo), JSON.stringify(object), keepsLines))
  }

  function nextPlace({ number: line }: Todo): Place {
    number += 1
    return { source, row: number, line }
  }

  function take(line: ContentLine) {
    const isEdge = line.name === 'BEGIN' || line.name === 'END'
    const [component] = (isEdge && components.exec(line.value.trim().toUpperCase())) || []
    if (component === undefined) return keep(line)
    const isEnd = line.name === 'END'
    close(isEnd ? component : undefined)
    if (component === 'VCALENDAR') {
      flush()
      calendar = isEnd ? undefined : {}
    }
    if (isEnd) return
    counts[component] = (counts[component] ?? 0) + 1
    if (component !== 'VCALENDAR') current = component
  }

  for await (const batch of contentLines(bytes, source, { encoding })) {
    for (const line of batch) take(line)
    yield rows.splice(0)
  }
  if (calendar) throw new SourceError('bad_calendar', { source, why: 'not_ended' })
  close(undefined)
  flush()
  const { VEVENT: events = 0 } = counts
  if (counts[wanted] === 0 && events > 0) throw new SourceError('no_tasks', { source, events })
  yield rows
}
