const totals =
  /^((grand |sub)?totals?|summe|gesamt|suma|somma|totaal|toplam|summa|i alt|yhteensä|razem|celkem|spolu|összesen|ukupno|skupaj|kokku|kopā|iš viso|σύνολο|итого|всього|разом|סה"כ|المجموع|tổng( cộng)?|jumlah|รวม|合計|小計|合计|小计|总计|합계|소계)\P{L}*$/iu
const footers = /confidential|copyright|©|all rights reserved|^(page \d|generated|exported|printed|end of )/i

/** Checks that the cells of a row are a total: its word, and else nothing with letters; or that they are a single one, a footer. */
export function isTotal(cells: readonly string[]): boolean {
  const [first = '', ...others] = cells.filter(cell => cell !== '')
  if (totals.test(first)) return others.every(cell => !/\p{L}/u.test(cell))
  return others.length === 0 && footers.test(first)
}

const legends =
  /^(legende?|légende|leyenda|legenda|note|notes|anmerkung(en)?|hinweise?|nota|notas|remarques?|source|quelle|fuente)\s*:|^[*†‡]+\s?\p{L}|^\S{1,3} = \S/iu

/** Checks that the cells of a row are a single one, which explains the others, as under a table. */
export function isLegend(cells: readonly string[]): boolean {
  const [only = '', ...others] = cells.filter(cell => cell !== '')
  return others.length === 0 && legends.test(only)
}

/** The index of the first row of a table below the table: an empty line, then rows to the end that all fill fewer cells than any row above; -1 without one. */
export function tableBelow(lines: readonly number[], cells: readonly (readonly string[])[]): number {
  const filled = cells.map(row => row.filter(cell => cell !== '').length)
  return lines.findIndex((line, at) => {
    if (at < fewestAbove || line - (lines[at - 1] ?? 0) < 2) return false
    const fewest = Math.min(...filled.slice(0, at))
    return filled.slice(at).every(count => count < fewest)
  })
}
const fewestAbove = 3
