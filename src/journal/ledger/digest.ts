import { hash } from 'node:crypto'

const bytes = 16

/** What a text goes by in the ledger. */
export const digestOf = (text: string): Buffer =>
  Buffer.from(hash('sha256', text, 'hex').slice(0, bytes * 2), 'hex')
