import { createHash, randomInt } from 'node:crypto'

/** Returns numbers from 0 up to, not including, 1. */
export type Random = () => number

/** The seed of this process's random tests: ROWLIFT_FAULT_SEED (of workers: ROWLIFT_MACHINES_SEED), or a new one. */
export const seed = Number(
  process.env.ROWLIFT_MACHINES_SEED || process.env.ROWLIFT_FAULT_SEED || randomInt(1_000_000_000),
)

/** Tests run as `npm run test:long`, with what takes seconds and is rarely broken alone. */
export const isLong = process.env.ROWLIFT_LONG !== undefined

/** How often a random test is repeated: so often in `npm run test:long`, and a tenth of that in `npm test`. */
export const repeats = (count: number): number => (isLong ? count : Math.ceil(count / 10))

/** A stream of numbers of its own for each purpose, the same for the same seed. */
export const randomFor = (purpose: string): Random => randomOf(`${seed} ${purpose}`)

/** A stream of numbers that is the same for the same text, whatever the seed of this process. */
export function randomOf(text: string): Random {
  let count = 0
  return () => {
    count += 1
    const digest = createHash('sha256').update(`${text} ${count}`).digest()
    return digest.readUIntBE(0, 6) / 2 ** 48
  }
}

/** Returns cards in random order; each comes once before any comes again. */
export function deckOf<Card>(cards: readonly Card[], random: Random): () => Card {
  let rest: Card[] = []
  return () => {
    if (rest.length === 0) rest = [...cards]
    const [card] = rest.splice(Math.floor(random() * rest.length), 1)
    return card as Card
  }
}
