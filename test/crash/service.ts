import { randomUUID } from 'node:crypto'
import { turns } from '../support/clock.ts'
import { type ArrivedCall, type Reaction, type Service, startService } from '../support/service.ts'

/** What the service knows when a trial begins. */
export interface Memory {
  /** In which trial it came to know it. */
  readonly trial: number
  readonly attempts: ReadonlyMap<string, number>
  readonly made: Service['made']
  readonly emails: ReadonlySet<string>
}

const blank: Memory = { trial: 0, attempts: new Map(), made: [], emails: new Set() }

/** How it treats its callers: a `killer` hangs where a name says so, and a `loser` does besides make nothing of what it cuts. */
type Mood = 'good' | 'killer' | 'loser'

/** One service for many trials, each of which begins with a memory. Its address stays, for result logs name it. */
export interface TrialService {
  readonly url: string
  /** Forgets what came after this memory. */
  begin(memory?: Memory, mood?: Mood): void
  /** Of this trial, once nobody is connected any more: the truth is final. */
  truth(): Promise<Truth>
  /** The names in the calls of this trial so far. */
  readonly arrived: () => string[]
}

export interface Truth {
  /** The names in the calls that arrived, in their order. */
  readonly calls: readonly string[]
  /** What was made since the world began. */
  readonly made: Service['made']
  readonly memory: Memory
}

export async function startTrialService(): Promise<TrialService> {
  let memory = blank
  let mood: Mood = 'good'
  let trial = 0
  let attempts = new Map<string, number>()
  let emails = new Set<string>()
  const first = { call: 0, made: 0 }
  const service = await startService({
    react(_, { body }) {
      const name = String(body.name)
      attempts.set(name, (attempts.get(name) ?? 0) + 1)
      return reactionTo(name, attempts.get(name) ?? 1, mood)
    },
    similar(call) {
      const email = emailIn(call)
      if (email === undefined) return randomUUID()
      emails.add(email)
      return `${memory.emails.has(email) ? memory.trial : trial} ${email}`
    },
  })
  const { url, calls, made } = service
  const arrived = () => calls.slice(first.call).map(({ body }) => String(body.name))
  return {
    url,
    begin(from = blank, as = 'good') {
      memory = from
      mood = as
      trial += 1
      attempts = new Map(from.attempts)
      emails = new Set(from.emails)
      Object.assign(first, { call: calls.length, made: made.length })
    },
    arrived,
    async truth() {
      await turns()
      await service.left()
      const all = [...memory.made, ...made.slice(first.made)]
      return {
        calls: arrived(),
        made: all,
        memory: { trial, attempts: new Map(attempts), made: all, emails },
      }
    },
  }
}

/** By which the service finds the contact that an earlier call made; undefined where it was not asked to. */
function emailIn({ url, body }: ArrivedCall): string | undefined {
  if (!url.includes('use_created=true')) return undefined
  return (body as { emails?: { email: string }[] }).emails?.[0]?.email
}

function reactionTo(name: string, attempt: number, mood: Mood): Reaction {
  if (name === 'Refused') return { answer: 422 }
  if (name === 'Lost' && attempt === 1) return { cut: mood === 'loser' ? 'before reading' : 'after creating' }
  if (name === 'Busy' && attempt === 1 && mood === 'good')
    return { answer: 429, headers: { 'retry-after': '0' } }
  if (name.startsWith('Hangs') && mood !== 'good')
    return name === 'Hangs' && mood === 'killer' ? { hang: true, createsAfterMs: 0 } : { hang: true }
  return 'create'
}
