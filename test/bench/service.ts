import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { forkChild } from './children.ts'
import type { PhaseCounts } from './gate.ts'
import type { Ask, ServerBehaviour, ServerReply } from './server.ts'

/** How the service is to behave from now on; without any phases, all calls are allowed. */
export type Behaviour = Partial<ServerBehaviour>

/** The server process, as the runner sees it. */
export interface Service {
  readonly url: string
  /** The same with TLS. */
  readonly secureUrl: string
  /** Forgets what happened so far. */
  begin(behaviour?: Behaviour): Promise<void>
  /** What happened since, phase by phase. */
  counts(): Promise<readonly PhaseCounts[]>
  /** The CPU time that its process took so far. */
  cpuMs(): Promise<number>
  end(): void
}

/** Starts the server. Throws when it does not come up; so does all that asks it once it is gone. */
export async function startService(): Promise<Service> {
  const child = forkChild(fileURLToPath(new URL('./server.js', import.meta.url)))
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`the server of the benchmarks ended by itself, with exit code ${code}`)
  })
  gone.catch(() => {})
  const answer = async (): Promise<ServerReply> => (await Promise.race([gone, once(child, 'message')]))[0]
  const ask = (question: Ask) => {
    if (child.connected) child.send(question)
    return answer()
  }
  const { ports } = await answer()
  return {
    url: `http://127.0.0.1:${ports.http}`,
    secureUrl: `https://127.0.0.1:${ports.https}`,
    begin: async ({ latencyMs = 0, phases = [], answers = 'full' } = {}) =>
      void (await ask({ is: 'begin', latencyMs, phases, answers })),
    counts: async () => (await ask({ is: 'count' })).counts,
    cpuMs: async () => (await ask({ is: 'count' })).cpuMs,
    end: () => child.kill('SIGKILL'),
  }
}
