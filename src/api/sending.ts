import type { Clock } from '../model/clock.ts'
import type { PaceEvent } from '../model/events.ts'
import type { Call, Fault } from '../model/row.ts'
import type { Stop } from '../model/stop.ts'
import type { RecordType } from '../records/kinds.ts'
import type { AnswerRule } from './answer-rules.ts'
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
  /** What answers mean that nobody documented; the first that matches counts. */
  readonly rules: readonly AnswerRule[]
  readonly pace: Pace
  readonly announced: Announced
  readonly stop: Stop
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly tell: (event: SendingEvent) => void
}

/** Where it is kept which calls may be under way, whatever becomes of this process (DESIGN 4). */
interface Announced {
  /** Asked before each attempt; resolves once it is safe that the call may be under way. Rejects when it cannot be kept. */
  begin(call: Call): Promise<void>
  /** Hears that the call is over, and that it is certain to have reached nothing. */
  withdraw(call: Call): void
}

/** What is worth telling while calls are under way. */
export type SendingEvent =
  | { readonly is: 'retry'; readonly fault: Fault; readonly delayMs: number; readonly message: string }
  | { readonly is: 'answer_differs'; readonly differences: readonly string[] }
  | PaceEvent
