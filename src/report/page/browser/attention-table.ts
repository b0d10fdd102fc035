import { grouped } from '../../numbers.ts'
import type { ShownRow } from '../embedded.ts'
import { rows } from '../words.ts'
import { tellLocally } from './local-times.ts'
import { holdsAll, searchedText, wordsOf } from './search.ts'

const rowsAtOnce = 50
const rowsOnPaper = 500

/** Rows that are filtered and drawn some at a time. */
export function startTable(box: HTMLElement): void {
  const all = JSON.parse(find(box, 'script', HTMLScriptElement).text) as ShownRow[]
  const template = find(box, 'template', HTMLTemplateElement)
  const body = find(box, 'tbody', HTMLTableSectionElement)
  const search = find(box, 'input[type=search]', HTMLInputElement)
  const told = find(box, 'output', HTMLOutputElement)
  const pager = find(box, '.pager', HTMLElement)
  const texts: string[] = []
  let hits = all
  let from = 0

  const drawRows = (most: number) => {
    body.replaceChildren(...hits.slice(from, from + most).map(row => rowElement(row, template)))
    drawPager(pager, from, hits.length)
  }
  const filter = () => {
    const status = box.querySelector<HTMLInputElement>('input[type=radio]:checked')?.value ?? ''
    const words = wordsOf(search.value)
    const textOf = (row: ShownRow, at: number) => {
      texts[at] ??= searchedText(row)
      return texts[at]
    }
    hits = all.filter(
      (row, at) =>
        (status === '' || row.status === status) && (words.length === 0 || holdsAll(textOf(row, at), words)),
    )
    from = 0
    told.textContent =
      hits.length === all.length ? rows(all.length) : `${grouped(hits.length)} of ${rows(all.length)}`
    drawRows(rowsAtOnce)
  }
  const step = (event: Event) => {
    if (!(event.target instanceof HTMLButtonElement)) return
    from += Number(event.target.dataset.step) * rowsAtOnce
    drawRows(rowsAtOnce)
    box.scrollIntoView({ block: 'start' })
  }

  search.addEventListener('input', filter)
  box.querySelector('fieldset')?.addEventListener('change', filter)
  pager.addEventListener('click', step)
  addEventListener('beforeprint', () => drawRows(rowsOnPaper))
  addEventListener('afterprint', () => drawRows(rowsAtOnce))
  box.hidden = false
  filter()
}

function drawPager(pager: HTMLElement, from: number, hits: number): void {
  const to = Math.min(from + rowsAtOnce, hits)
  find(pager, 'span', HTMLElement).textContent =
    hits === 0 ? 'No row is like that.' : `${grouped(from + 1)}–${grouped(to)} of ${grouped(hits)}`
  for (const button of pager.querySelectorAll('button')) {
    button.hidden = hits <= rowsAtOnce
    button.disabled = button.dataset.step === '1' ? to >= hits : from === 0
  }
}

/** A row as the template has it; what stands in it is text and never markup. */
function rowElement(row: ShownRow, template: HTMLTemplateElement): Node {
  const made = template.content.cloneNode(true) as DocumentFragment
  const mark = find(made, '.mark', HTMLElement)
  mark.className = `mark ${row.status}`
  mark.textContent = row.word
  fill(made, '.place', row.place)
  fill(made, '.row', String(row.row))
  fill(made, '.key bdi', row.key)
  find(made, '.messages', HTMLElement).append(...row.messages.map(messageElement))
  fillOrRemove(made, '.found', row.value, row.column)
  fillOrRemove(made, '.answer', row.answer, undefined)
  const time = find(made, 'time', HTMLTimeElement)
  time.dateTime = row.at ?? ''
  tellLocally(time)
  return made
}

function messageElement(message: string): HTMLLIElement {
  const item = document.createElement('li')
  const text = document.createElement('bdi')
  text.textContent = message
  item.append(text)
  return item
}

const fill = (made: ParentNode, selector: string, text: string) => {
  find(made, selector, HTMLElement).textContent = text
}

function fillOrRemove(
  made: ParentNode,
  selector: string,
  text: string | undefined,
  label: string | undefined,
) {
  const place = find(made, selector, HTMLElement)
  if (text === undefined) return place.remove()
  if (label !== undefined) fill(place, 'small', label)
  fill(place, 'bdi', text === '' ? 'empty' : text)
}

/** What the page has for certain. */
function find<E extends Element>(place: ParentNode, selector: string, kind: new () => E): E {
  const found = place.querySelector(selector)
  if (!(found instanceof kind)) throw new Error(`the page has no ${selector}`)
  return found
}
