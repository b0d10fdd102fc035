// The script of the page: it filters the table of rows that need attention.
import { fold, grouped, rows } from '../text.ts'

for (const box of document.querySelectorAll<HTMLElement>('.rows')) startFilter(box)

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
