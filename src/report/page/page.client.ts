// The script of the page: local times, and the table of rows that need attention.
import { grouped } from '../numbers.ts'
import type { AttentionRow } from './facts.ts'
import { momentIn, rows, statusWords, type TimeFormat } from './format.ts'
import { createFilter } from './search.ts'

const rowsAtOnce = 50
const rowsOnPaper = 500

showLocalTimes(document)
for (const zone of document.querySelectorAll<HTMLElement>('[data-zone]'))
  zone.textContent = offsetName(new Date(zone.dataset.zone ?? ''))
for (const box of document.querySelectorAll<HTMLElement>('.rows')) startTable(box)

/** Shows times in the reader's own zone. A bar of a chart gets its time before its counts. */
function showLocalTimes(within: ParentNode): void {
  for (const element of within.querySelectorAll<HTMLElement | SVGElement>('time, [data-at]')) {
    const { at, format } = element.dataset
    const time = momentIn(
      at ?? element.getAttribute('datetime') ?? '',
      undefined,
      format as TimeFormat | undefined,
    )
    const title = element.querySelector('title')
    if (title === null) element.textContent = time
    else title.prepend(`${time}: `)
  }
}

/** `UTC+01:00`. */
function offsetName(date: Date): string {
  const minutes = -date.getTimezoneOffset() || 0
  if (minutes === 0) return 'UTC'
  const twoDigits = (count: number) => String(Math.floor(count)).padStart(2, '0')
  return `UTC${minutes < 0 ? '−' : '+'}${twoDigits(Math.abs(minutes) / 60)}:${twoDigits(Math.abs(minutes) % 60)}`
}

/** Filters the rows and draws some of them at a time. */
function startTable(box: HTMLElement): void {
  const all = JSON.parse(find(box, 'script', HTMLScriptElement).text) as AttentionRow[]
  const template = find(box, 'template', HTMLTemplateElement)
  const body = find(box, 'tbody', HTMLTableSectionElement)
  const search = find(box, 'input[type=search]', HTMLInputElement)
  const summary = find(box, 'output', HTMLOutputElement)
  const pager = find(box, '.pager', HTMLElement)
  const filterRows = createFilter(all)
  let hits = all
  let from = 0

  const drawRows = (count: number) => {
    body.replaceChildren(...hits.slice(from, from + count).map(row => rowElement(row, template)))
    drawPager(pager, from, hits.length)
  }
  const filter = () => {
    const status = box.querySelector<HTMLInputElement>('input[type=radio]:checked')?.value ?? ''
    hits = filterRows(status, search.value)
    from = 0
    summary.textContent =
      hits.length === all.length ? rows(all.length) : `${grouped(hits.length)} of ${rows(all.length)}`
    drawRows(rowsAtOnce)
  }
  const turnPage = (event: Event) => {
    if (!(event.target instanceof HTMLButtonElement)) return
    from += Number(event.target.dataset.step) * rowsAtOnce
    drawRows(rowsAtOnce)
    box.scrollIntoView({ block: 'start' })
  }

  search.addEventListener('input', filter)
  box.querySelector('fieldset')?.addEventListener('change', filter)
  pager.addEventListener('click', turnPage)
  addEventListener('beforeprint', () => drawRows(rowsOnPaper))
  addEventListener('afterprint', () => drawRows(rowsAtOnce))
  box.hidden = false
  filter()
}

function drawPager(pager: HTMLElement, from: number, hits: number): void {
  const to = Math.min(from + rowsAtOnce, hits)
  find(pager, 'span', HTMLElement).textContent =
    hits === 0 ? 'No row matches.' : `${grouped(from + 1)}–${grouped(to)} of ${grouped(hits)}`
  for (const button of pager.querySelectorAll('button')) {
    button.hidden = hits <= rowsAtOnce
    button.disabled = button.dataset.step === '1' ? to >= hits : from === 0
  }
}

/** Fills the template. All data becomes text, never markup. */
function rowElement(row: AttentionRow, template: HTMLTemplateElement): Node {
  const element = template.content.cloneNode(true) as DocumentFragment
  const fill = (selector: string, text: string) => {
    find(element, selector, Element).textContent = text
  }
  const fillOrRemove = (selector: string, text: string | undefined) => {
    if (text === undefined) find(element, selector, Element).remove()
    else fill(`${selector} bdi`, text === '' ? 'empty' : text)
  }
  find(element, '.mark', Element).classList.add(row.status)
  fill('.mark', statusWords[row.status])
  fill('.place', `${row.source}:${row.line}`)
  fill('.row', String(row.row))
  fill('.key bdi', row.key)
  if (row.column !== undefined) fill('.found small', row.column)
  fillOrRemove('.found', row.value)
  fillOrRemove('.answer', row.answer)
  find(element, '.messages', Element).append(...row.messages.map(messageItem))
  find(element, 'time', HTMLTimeElement).dateTime = row.at ?? ''
  showLocalTimes(element)
  return element
}

function messageItem(message: string): HTMLLIElement {
  const item = document.createElement('li')
  const text = document.createElement('bdi')
  text.textContent = message
  item.append(text)
  return item
}

/** An element that the page always has. */
function find<E extends Element>(within: ParentNode, selector: string, type: new () => E): E {
  const found = within.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`the page has no ${selector}`)
  return found
}
