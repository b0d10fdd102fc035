import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { forkChild } from './children.ts'
import type { Phase, PhaseCounts } from './gate.ts'
import type { Ask, ServerReply } from './server.ts'

/** How the service is to behave from now on. */
export interface Behaviour {
  readonly latencyMs?: number
  /** Without any, all calls are allowed. */
  readonly phases?: readonly Phase[]
}

/** The server process, as the runner sees it. */
export interface Service {
  readonly url: string
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
  const { port } = await answer()
  return {
    url: `http://127.0.0.1:${port}`,
    begin: async ({ latencyMs = 0, phases = [] } = {}) =>
      void (await ask({ is: 'begin', latencyMs, phases })),
    counts: async () => (await ask({ is: 'count' })).counts,
    cpuMs: async () => (await ask({ is: 'count' })).cpuMs,
    end: () => child.kill('SIGKILL'),
  }
}
