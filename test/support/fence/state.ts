// What the fence of a ledger consists of, at one moment. Names stand for numbers in `keyOf` by their first letters.

/** What the last line says of a key. */
type Line = 'none' | 'refused' | 'in doubt' | 'created'
export type Outcome = Exclude<Line, 'none'>

/** Under which claim something was done. */
export interface Epoch {
  readonly run: number
  readonly epoch: number
}

export interface Chunk {
  readonly epoch: number
  readonly leaseLeft: number
  readonly isDone: boolean
}

/** What the ledger and the service have of a key. */
export interface Key {
  readonly line: Line
  /** Whether there is an intent, of this row under this epoch; a key keeps them afterwards. */
  readonly isOpen: boolean
  readonly run: number
  readonly row: number
  readonly epoch: number
  /** How long a worker may still have the call of a doubt. */
  readonly heldLeft: number
  /** A mistaken takeover has this still to put in doubt. */
  readonly isDue: boolean
  /** How many records the service has, whether a worker has told of one, and whether a line does. */
  readonly made: number
  readonly isTold: boolean
  readonly isKnown: boolean
}

export interface Claim {
  readonly run: number
  readonly epoch: number
  readonly chunk: number
  /** By the worker's own clock, less the margin. */
  readonly left: number
  /** Whether that clock has missed a tick. */
  readonly hasMissed: boolean
}

export interface Call {
  readonly run: number
  readonly epoch: number
  readonly row: number
  /** What the line said when the worker read it. */
  readonly seen: Line
  /** `forgotten`: with the service, and the worker does not wait for its answer any more. */
  readonly phase: 'ready' | 'intent' | 'out' | 'spooled' | 'forgotten'
  /** For how many ticks the service has had it; none while it does not have it. */
  readonly age: number | undefined
  /** What the service answered, or what the worker made of it where it is spooled. */
  readonly outcome: Outcome | undefined
}

export interface Worker {
  readonly claim: Claim | undefined
  readonly call: Call | undefined
}

export interface State {
  run: number
  readonly chunks: Chunk[]
  readonly keys: Key[]
  /** What the run says of each row: nothing, what the lines of its key say, or that it is a duplicate. */
  readonly accounts: ('none' | 'own' | 'duplicate')[]
  readonly workers: Worker[]
}

export const newChunk: Chunk = { epoch: 0, leaseLeft: 0, isDone: false }

const noRow = { run: 0, row: 0, epoch: 0 }

export function startOf(rows: readonly { readonly chunk: number; readonly key: number }[]): State {
  const newKey = (): Key => ({
    ...{ line: 'none', isOpen: false, ...noRow, heldLeft: 0, isDue: false },
    ...{ made: 0, isTold: false, isKnown: false },
  })
  return {
    run: 1,
    chunks: [...new Set(rows.map(row => row.chunk))].map(() => newChunk),
    keys: [...new Set(rows.map(row => row.key))].map(newKey),
    accounts: rows.map(() => 'none'),
    workers: [0, 1].map(() => ({ claim: undefined, call: undefined })),
  }
}

export const copy = ({ run, chunks, keys, accounts, workers }: State): State => ({
  run,
  chunks: chunks.slice(),
  keys: keys.slice(),
  accounts: accounts.slice(),
  workers: workers.slice(),
})

/** States share what they have in common. */
export function put<T>(list: T[], at: number, fields: Partial<T>): void {
  list[at] = { ...nth(list, at), ...fields }
}

export const nth = <T>(list: readonly T[], at: number): T => list[at] as T

/** The same for states that differ only in what nothing asks for any more; which worker is which does not matter. */
export function digest({ run, chunks, keys, accounts, workers }: State): string {
  let text = String.fromCharCode(run)
  for (const { isDone, epoch, leaseLeft } of chunks) text += isDone ? '-' : letter(epoch, leaseLeft)
  for (const account of accounts) text += account[0]
  for (const key of keys) text += digestOfKey(key, run)
  const a = digestOfWorker(nth(workers, 0))
  const b = digestOfWorker(nth(workers, 1))
  return a < b ? text + a + b : text + b + a
}

/** One sign for small numbers, and yes or no. */
function letter(...values: (number | boolean)[]): string {
  let code = 0
  for (const value of values) code = code * 5 + Number(value)
  return String.fromCharCode(code)
}

const lines = { none: 0, refused: 1, 'in doubt': 2, created: 3 }
const phases = { ready: 0, intent: 1, out: 2, spooled: 3, forgotten: 4 }

function digestOfKey(key: Key, now: number): string {
  const { line, isOpen, run, row, epoch, heldLeft, isDue, made, isTold, isKnown } = key
  const isAsked = isOpen || isDue || line === 'in doubt'
  const sender = isAsked ? letter(run, row, epoch) : run === now ? letter(run, row, 0) : '-'
  return letter(lines[line], isOpen, isDue, heldLeft, made, Number(isTold) + Number(isKnown)) + sender
}

function digestOfWorker({ claim, call }: Worker): string {
  const text = claim
    ? letter(claim.run, claim.epoch, claim.chunk, claim.left, claim.hasMissed && claim.left > 0)
    : '-'
  if (call === undefined) return `${text}--`
  const { run, epoch, row, seen, phase, age = 4, outcome = 'none' } = call
  if (phase === 'forgotten') return `${text}${letter(row, age)}-`
  return text + letter(run, epoch, row) + letter(lines[seen], phases[phase], age, lines[outcome])
}
