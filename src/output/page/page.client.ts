// The script of the page: it filters rows that need attention, copies commands, and says which rows are in sight.
import { fold, grouped, rows } from '../text.ts'

const leastSeen = 16 // pixels of a row in sight
const said = document.querySelector('[role=status]') as HTMLElement

for (const box of document.querySelectorAll<HTMLElement>('.rows')) startFilter(box)
for (const code of document.querySelectorAll<HTMLElement>('.command')) addCopyButton(code)
for (const box of document.querySelectorAll<HTMLElement>('.scroll')) tellExtent(box)

/** Filters the rows of a box; the page always has these elements. */
function startFilter(box: HTMLElement): void {
  const controls = box.querySelector('.controls') as HTMLElement
  const search = box.querySelector('input') as HTMLInputElement
  const status = box.querySelector('select') as HTMLSelectElement
  const summary = box.querySelector('output') as HTMLOutputElement
  const all = [...box.querySelectorAll<HTMLElement>('tbody tr')].map(row => ({
    row,
    text: fold(row.textContent ?? ''),
    status: row.querySelector('.mark')?.textContent,
  }))

  const filter = () => {
    const words = fold(search.value).split(/\s+/)
    for (const { row, text, status: own } of all)
      row.hidden = !(['', own].includes(status.value) && words.every(word => text.includes(word)))
    const hits = all.filter(({ row }) => !row.hidden).length
    summary.textContent = hits === all.length ? rows(hits) : `${grouped(hits)} of ${rows(all.length)}`
  }

  search.addEventListener('input', filter)
  status.addEventListener('change', filter)
  controls.hidden = false
  filter()
}

/** Adds a button that copies a command, and leaves it selected. Pages from disk have no other way in some browsers. */
function addCopyButton(code: HTMLElement): void {
  const texts = { textContent: 'Copy', ariaLabel: `Copy ${code.textContent}` }
  const button = Object.assign(document.createElement('button'), { className: 'copy', ...texts })
  button.addEventListener('click', () => {
    getSelection()?.selectAllChildren(code)
    said.textContent = document.execCommand('copy') ? 'Copied' : 'Selected, but not copied'
    setTimeout(() => (said.textContent = ''), 4_000)
  })
  code.after(button)
}

/** Says below a box which rows are in sight, if it scrolls. */
function tellExtent(box: HTMLElement): void {
  const extent = Object.assign(document.createElement('p'), { className: 'extent' })
  const table = box.querySelector('table') as HTMLTableElement
  const tell = () => {
    const { top, bottom } = box.getBoundingClientRect()
    const start = top + (table.tHead?.offsetHeight ?? 0)
    const listed = [...table.querySelectorAll('tbody tr:not([hidden])')]
    const seen = listed.flatMap((row, at) => {
      const edges = row.getBoundingClientRect()
      return edges.bottom > start + leastSeen && edges.top < bottom - leastSeen ? at + 1 : []
    })
    extent.hidden = seen.length === listed.length
    extent.textContent = `${grouped(seen[0] ?? 0)}–${grouped(seen.at(-1) ?? 0)} of ${grouped(listed.length)} in sight`
  }
  box.after(extent)
  box.addEventListener('scroll', tell)
  new ResizeObserver(tell).observe(table)
}
