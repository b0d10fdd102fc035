import { hexWord } from '../../model/fingerprint.ts'
import { Chain, withChecksum } from '../../store/files/checksum.ts'

interface Sealable {
  readonly run: string
  readonly writer?: string | undefined
  readonly rowlift?: string | undefined
  readonly lines?: number | undefined
}

/** Seals the lines of a log anew, with their line ends. Those of a run whose opening is missing get no chain. */
export function sealing() {
  const chains = new Map<string, Chain>()
  let last = 0
  return <T extends Sealable>(line: T): string => {
    const writer = line.writer ?? line.run
    if (line.rowlift !== undefined) chains.set(writer, new Chain(last))
    const chain = chains.get(writer)
    const isClosing = chain !== undefined && line.lines !== undefined
    const json = JSON.stringify(isClosing ? { ...line, lines: chain.lines + 1 } : line)
    const text = chain?.add(json) ?? `${withChecksum(json)}\n`
    last = hexWord(text, text.length - 11)
    return text
  }
}
