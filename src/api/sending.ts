import type { Fault } from '../model/row.ts'
import type { Stop } from '../model/stop.ts'
import type { RecordType } from '../records/kinds.ts'
import type { Client } from './client.ts'
import type { Pace } from './pace.ts'
import type { DeliveryMode } from './retry.ts'
import type { Token } from './token.ts'

/** What sending works with. */
export interface Sending {
  readonly client: Client
  /** The address of the create call, from createUrl. */
  readonly url: string
  readonly record: RecordType
  /** What the service was asked: whether to answer with a similar record that was there before (interface 4.1). */
  readonly useCreated: boolean | undefined
  readonly token: Token
  readonly retries: number
  readonly mode: DeliveryMode
  readonly pace: Pace
  readonly stop: Stop
  readonly now: () => Date
  /** From 0 to 1. */
  readonly random: () => number
  readonly tell: (event: SendingEvent) => void
}

/** What is worth telling while calls are under way. */
export type SendingEvent =
  | { readonly is: 'retry'; readonly fault: Fault; readonly delayMs: number; readonly message: string }
  | { readonly is: 'answer_differs'; readonly differences: readonly string[] }
