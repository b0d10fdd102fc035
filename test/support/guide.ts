import { request } from 'node:http'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { runCli } from '../../src/cli/cli.ts'
import type { RouteName, Routes } from '../../src/features/guide/api.ts'
import { type Clock, systemClock } from '../../src/model/clock.ts'
import { atEnd } from './cleanup.ts'
import { silentContext } from './context.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Sends a request as a browser, or as somebody else would. */
export const requested = (url: string, headers: Record<string, string>, body?: string) =>
  new Promise<Answer>((resolve, reject) => {
    const call = request(url, { method: body === undefined ? 'GET' : 'POST', headers }, async response => {
      const { statusCode: status = 0, headers } = response
      resolve({ status, headers, text: await text(response) })
    })
    call.once('error', reject).end(body)
  })

/** `rowlift guide` in the process of the test, for a folder. Ends with the test at the latest. */
export async function startGuide(
  cwd: string,
  files: readonly string[],
  { clock = systemClock as Clock, args = [] as readonly string[] } = {},
) {
  const context = silentContext()
  const stdout = new PassThrough()
  const listeners = new Set<(signal: 'SIGINT') => void>()
  const interrupts = {
    ...context.interrupts,
    onSignal(listener: (signal: 'SIGINT') => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const words = ['guide', ...files, '--no-open', ...args]
  const ended = runCli(words, { ...context, clock, cwd, stdout, interrupts, environment: {} })
  const end = () => {
    for (const listener of listeners) listener('SIGINT')
    return ended
  }
  atEnd(end)
  const [line] = await new Promise<Buffer[]>(resolve => stdout.once('data', data => resolve([data])))
  const address = `${line}`.trim()
  const { origin, host, hash } = new URL(address)
  const own = { host, origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
  const post = (name: string, body: object, headers: Record<string, string> = {}) => {
    const sent = JSON.stringify(body)
    return requested(
      `${origin}/api/${name}`,
      { ...own, 'content-length': `${Buffer.byteLength(sent)}`, ...headers },
      sent,
    )
  }
  const enter = async (secret = hash.slice(1)): Promise<string> =>
    JSON.parse((await post('token', { secret })).text).token
  return { address, origin, host, own, post, enter, end, ended }
}

export type Guided = Awaited<ReturnType<typeof startGuide>>

/** The calls of a page that is let in. Rejects with code and text of a call that is refused. */
export async function entered(guide: Guided, secret?: string) {
  const token = await guide.enter(secret)
  return async <N extends RouteName>(name: N, input: Routes[N]['in']): Promise<Routes[N]['out']> => {
    const answer = await guide.post(name, input, { 'x-rowlift-token': token })
    const body = JSON.parse(answer.text)
    if (answer.status !== 200) throw new Error(`${answer.status} ${body.code}: ${body.text}`)
    return body
  }
}
