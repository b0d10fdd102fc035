import { brokenRow, readLine } from '../../input/ndjson.ts'
import { openObjects, primed, type Reader } from '../../input/reader.ts'
import { maxRowBytes, type SourceSettings } from '../../input/source.ts'
import { SourceError } from '../../model/errors.ts'
import { problem } from '../../model/problem.ts'
import type { Place, Row } from '../../model/row.ts'
import { type ContentLine, contentLines, linesText, resolved } from '../cards/content-lines.ts'
import { addZone, type Zones } from './calendar-time.ts'
import { isOneTask, nextOf, objectOf, type Todo, withoutInner } from './todo.ts'

export const calendarReader: Reader = {
  open: async ({ path, bytes }, settings) =>
    openObjects(bytes, await primed(icalendarRows(bytes, path, settings))),
}

/**
 * A row for each VTODO; if occurrences of a recurring one follow each other, a row for the next of them. Throws a SourceError
 * if the bytes are no calendar, are cut short, or hold only events.
 */
export async function* icalendarRows(
  bytes: AsyncIterable<Buffer>,
  source: string,
  settings: Pick<SourceSettings, 'encoding' | 'keepsLines'> = {},
): AsyncGenerator<Row[]> {
  const reader = new CalendarReader(source, settings.keepsLines ?? false)
  for await (const lines of contentLines(bytes, source, settings)) {
    for (const line of lines) reader.take(line)
    yield reader.rows.splice(0)
  }
  reader.end()
  yield reader.rows.splice(0)
}

const components = /^V(CALENDAR|TODO|EVENT|JOURNAL|FREEBUSY|TIMEZONE)$/
/** A line takes more memory than its text. */
const bytesOfLine = 100
const mostBytesOfZone = 200_000

class CalendarReader {
  readonly rows: Row[] = []
  readonly #source: string
  readonly #keepsLines: boolean
  readonly #zones: Zones = new Map()
  readonly #counts: Record<string, number> = { VCALENDAR: 0, VTODO: 0, VEVENT: 0 }
  #calendar: { name?: string } | undefined
  /** Component that is read in the calendar, and its lines if it is a VTODO or VTIMEZONE. */
  #component: string | undefined
  #lines: ContentLine[] = []
  #bytes = 0
  /** Occurrences of one task. */
  #todos: Todo[] = []
  #heldBytes = 0
  #rows = 0

  constructor(source: string, keepsLines: boolean) {
    this.#source = source
    this.#keepsLines = keepsLines
  }

  take(line: ContentLine): void {
    const isEdge = line.name === 'BEGIN' || line.name === 'END'
    const [component] = (isEdge && components.exec(line.value.trim().toUpperCase())) || []
    if (component === undefined) {
      this.#keep(line)
      return
    }
    const isEnd = line.name === 'END'
    this.#close(isEnd ? component : undefined)
    if (component === 'VCALENDAR') {
      this.#flush()
      this.#calendar = isEnd ? undefined : {}
    }
    if (isEnd) return
    this.#counts[component] = (this.#counts[component] ?? 0) + 1
    if (component !== 'VCALENDAR') this.#component = component
  }

  end(): void {
    if (this.#calendar) throw new SourceError('bad_calendar', { source: this.#source, why: 'not_ended' })
    this.#close(undefined)
    this.#flush()
    const { VTODO, VEVENT: events = 0 } = this.#counts
    if (VTODO === 0 && events > 0) throw new SourceError('no_tasks', { source: this.#source, events })
  }

  #keep(line: ContentLine): void {
    if (this.#counts.VCALENDAR === 0)
      throw new SourceError('bad_calendar', { source: this.#source, why: 'not_begun' })
    if (this.#component === undefined && line.name === 'X-WR-CALNAME' && this.#calendar)
      this.#calendar.name = resolved(line.value)
    if (this.#component !== 'VTODO' && this.#component !== 'VTIMEZONE') return
    this.#bytes += line.value.length + bytesOfLine
    if (this.#bytes <= maxRowBytes) this.#lines.push(line)
  }

  /** A component that ends by another name, or not at all, is broken. */
  #close(name: string | undefined): void {
    const [component, lines] = [this.#component, this.#lines.splice(0)]
    this.#component = undefined
    if (component === 'VTODO') this.#closeTodo(lines, name === component)
    if (component === 'VTIMEZONE' && name === component && this.#bytes <= mostBytesOfZone)
      addZone(lines, this.#zones)
    this.#bytes = 0
  }

  #closeTodo(lines: readonly ContentLine[], isWhole: boolean): void {
    const own = isWhole ? withoutInner(lines) : undefined
    const todo = { number: this.#counts.VTODO ?? 0, lines: own ?? [] }
    const unread = lines.find(({ name }) => name === '')
    const fault =
      (this.#bytes > maxRowBytes && problem('too_long', { characters: maxRowBytes })) ||
      (own === undefined && problem('task_not_ended')) ||
      (unread && problem('not_a_property', { line: unread.line }))
    this.#heldBytes += this.#bytes
    if (fault || this.#heldBytes > maxRowBytes || !isOneTask(this.#todos, todo)) this.#flush()
    if (fault) this.rows.push(brokenRow(this.#place(todo), linesText(lines), fault))
    else this.#todos.push(todo)
  }

  #flush(): void {
    const [first, ...others] = this.#todos.splice(0)
    this.#heldBytes = 0
    if (first === undefined) return
    const { todo, shift } = nextOf([first, ...others], this.#zones)
    const object = { ...objectOf(todo, this.#zones, shift), calendar: this.#calendar?.name }
    this.rows.push(readLine(this.#place(todo), JSON.stringify(object), this.#keepsLines))
  }

  #place({ number: line }: Todo): Place {
    this.#rows += 1
    return { source: this.#source, row: this.#rows, line }
  }
}
