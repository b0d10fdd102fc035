// The sandbox: a local emulator of the service's two create calls. It imports nothing from the rest of src/, because
// an emulator that shares the client's schemas can only agree with it. A call goes from routes.ts to create-call.ts
// and store.ts; fields.ts checks its body, and records.ts builds the answer.
import Fastify from 'fastify'
import { z } from 'zod'
import { type CreateContext, newStats } from './create-call.ts'
import { faultDice, mulberry32, rateLimit } from './faults.ts'
import { describeIssues } from './fields.ts'
import { addRoutes } from './routes.ts'
import { Store } from './store.ts'

const share = z.number().min(0).max(1).default(0)

const optionsSchema = z.object({
  /** 0 is any free port. */
  port: z.int().default(0),
  host: z.string().default('127.0.0.1'),
  token: z.string().min(1).default('sandbox'),
  /** Milliseconds from the creation of a record to the answer. */
  latencyMs: z.number().min(0).max(2_147_483_647).default(0),
  /** Calls per second; above it 429 with `Retry-After`. */
  rateLimit: z.number().positive().optional(),
  /** Calls that are answered with 500 and create nothing. */
  failShare: share,
  /** Calls whose record is created and whose connection is cut. */
  dropShare: share,
  seed: z.int().default(1),
  dataFile: z.string().optional(),
})

export type SandboxOptions = z.input<typeof optionsSchema>

/** `url` has no slash at the end. */
export interface Sandbox {
  url: string
  /** Cuts all connections, closes the data file, and frees the port. */
  close(): Promise<void>
}

const bodyLimitBytes = 32 * 1024 * 1024

/** Throws a RangeError for an option out of its range, an Error when the port is taken or the data file is not usable. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const checked = optionsSchema.safeParse(options)
  if (!checked.success) throw new RangeError(describeIssues(checked.error))
  const { port, host, latencyMs, dataFile } = checked.data
  const store = new Store()
  if (dataFile !== undefined) store.openFile(dataFile)
  const app = Fastify({ logger: false, bodyLimit: bodyLimitBytes, forceCloseConnections: true })
  const close = async () => {
    await app.close()
    store.close()
  }
  try {
    addRoutes(app, createContext(checked.data, store), latencyMs)
    return { url: await app.listen({ port, host }), close }
  } catch (error) {
    await close()
    throw error
  }
}

function createContext(options: z.infer<typeof optionsSchema>, store: Store): CreateContext {
  const { token, rateLimit: perSecond, failShare, dropShare, seed } = options
  return {
    token,
    takePermit: perSecond === undefined ? () => 0 : rateLimit(perSecond, () => performance.now()),
    rollFault: faultDice(failShare, dropShare, mulberry32(seed)),
    store,
    stats: newStats(Date.now()),
  }
}
