import { iconv } from './iconv.ts'
import { isHungarian, wellSpelt } from './sniff-header-words.ts'

const mostBytes = 4_000
const mostLines = 5
const candidates = ['windows-1252', 'windows-1250', 'windows-1254', 'windows-1251', 'iso-8859-2'] as const

/** The encoding that spells the names of the columns right, where the one that was guessed does not. */
export function encodingByWords(head: Buffer, guessed: string): string {
  const start = head.subarray(0, mostBytes)
  const tried = [...new Set([guessed, ...candidates])].map(name => {
    const cells = cellsOf(iconv().decode(start, name))
    return { name, score: wellSpelt(cells), cells }
  })
  const [own] = tried
  const best = tried.reduce((found, next) => (next.score > found.score ? next : found))
  const isWestern = best.name === 'windows-1252' || best.name === 'iso-8859-1'
  if (isWestern && isHungarian(own?.cells ?? []) && hasLongVowels(start)) return 'windows-1250'
  return best.name
}

const cellsOf = (text: string) =>
  text
    .split(/\r\n|\n|\r/, mostLines)
    .flatMap(line => line.split(/[,;\t|]/))
    .map(cell => cell.replaceAll('"', ''))

/** What is ő and ű of Hungarian, and õ and û of nobody who writes vezetéknév. */
const hasLongVowels = (bytes: Buffer) => bytes.some(byte => [0xf5, 0xfb, 0xd5, 0xdb].includes(byte))
