// The script of the page: it filters the table of rows that need attention.
import { fold, grouped, rows } from '../text.ts'

for (const box of document.querySelectorAll<HTMLElement>('.rows')) startFilter(box)

function startFilter(box: HTMLElement): void {
  const controls = find(box, '.controls', HTMLElement)
  const search = find(box, 'input', HTMLInputElement)
  const status = find(box, 'select', HTMLSelectElement)
  const summary = find(box, 'output', HTMLOutputElement)
  const all = [...box.querySelectorAll('tbody tr')].map(row => ({
    row: row as HTMLElement,
    text: fold(row.textContent ?? ''),
    status: row.querySelector('.mark')?.textContent,
  }))

  const filter = () => {
    const words = fold(search.value).split(/\s+/)
    let hits = 0
    for (const { row, text, status: own } of all) {
      row.hidden = !(['', own].includes(status.value) && words.every(word => text.includes(word)))
      if (!row.hidden) hits += 1
    }
    summary.textContent = hits === all.length ? rows(hits) : `${grouped(hits)} of ${rows(all.length)}`
  }

  search.addEventListener('input', filter)
  status.addEventListener('change', filter)
  controls.hidden = false
  filter()
}

/** An element that the page always has. */
function find<E extends Element>(within: ParentNode, selector: string, type: new () => E): E {
  const found = within.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`the page has no ${selector}`)
  return found
}
