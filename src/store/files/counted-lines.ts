import { byHandIn, parseLine, type ResultLine } from './lines.ts'
import { bytesOf, type Log, readTexts, type WholeLine } from './whole-lines.ts'

/** Leaves out the lines that do not count: those of a command that came to no end, and those that a person took back. */
export async function* countedLines(log: Log, whole: AsyncIterable<WholeLine[]>) {
  const unended = new Set<string>()
  let takenBack: ReadonlySet<string> | undefined
  for await (const lines of whole) {
    for (const { line, position } of lines) {
      const countsAtEnd = line.command && line.command !== 'resolve' && line.rowlift
      if (countsAtEnd && !(await isEnded(log, position, line.run))) unended.add(line.run)
      if (byHandIn(line)) takenBack ??= await takenBackFrom(log, position)
    }
    const isCounted = ({ line }: WholeLine) => !unended.has(line.run) && !takenBack?.has(nameOf(line))
    yield unended.size === 0 && !takenBack?.size ? lines : lines.filter(isCounted)
  }
}

/** Looks ahead for the closing line of a run, so that nothing is kept in memory. */
async function isEnded(log: Log, start: number, run: string): Promise<boolean> {
  for await (const { texts } of readTexts(log, bytesOf(log, start)))
    for (const line of texts.map(text => parseLine(String(text))))
      if (line && (line.run === run ? line.ended : line.rowlift)) return line.run === run
  return false
}

/** Looks ahead for the lines by hand that later ones correct. A log with a line by hand is read once more, but hardly a line of it is parsed. */
async function takenBackFrom(log: Log, start: number): Promise<Set<string>> {
  const names = new Set<string>()
  for await (const { texts } of readTexts(log, bytesOf(log, start)))
    for (const line of texts
      .filter(text => text.includes('"corrects":'))
      .map(text => parseLine(String(text))))
      if (line?.corrects !== undefined) names.add(nameOf({ ...line, run: line.corrects }))
  return names
}

/** Returns the name of a line by hand: a run writes one for each key. */
const nameOf = ({ run, key }: Pick<ResultLine, 'run' | 'key'>) => `${run} ${key}`
