import type { Random } from './random.ts'

/** Random trees of rows in random order, and some pairs of rows that name each other as parent. */
export function randomTrees(count: number, random: Random, circles: number) {
  const pick = (below: number) => Math.floor(random() * below)
  const rows = Array.from({ length: count }, (_, at) => {
    const isRoot = at === 0 || random() < 0.1
    return {
      key: `${pick(1e6)}-${at}${random() < 0.3 ? ' ünïq|' : ''}`,
      name: `Row ${at}`,
      parent: isRoot ? -1 : pick(at),
    }
  })
  for (let at = 0; at < circles; at++)
    rows.push(
      { key: `c${at}`, name: `Circle ${at}`, parent: count + 2 * at + 1 },
      { key: `d${at}`, name: `Circled ${at}`, parent: count + 2 * at },
    )
  const lines = rows.map(
    ({ key, name, parent }) => `${key},${name},${rows[parent]?.key.toUpperCase() ?? ''}\n`,
  )
  const shuffled = lines.map(line => [random(), line] as const).sort(([a], [b]) => a - b)
  const trees = rows.slice(0, count)
  return {
    csv: `Id,Name,Parent\n${shuffled.map(([, line]) => line).join('')}`,
    parents: Object.fromEntries(trees.map(({ name, parent }) => [name, rows[parent]?.name])),
  }
}
