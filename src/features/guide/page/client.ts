// The calls of the page, and the state that the server sends.
import type { Refused, RouteName, Routes, State } from '../api.ts'

const tokenName = 'rowlift-token'
let token = sessionStorage.getItem(tokenName) ?? ''

/** The error of a call: `conflict` if somebody else saved meanwhile, `ended` if the server is gone or the token is not good. */
export class CallFailed extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Swaps the secret of the address for a token, and takes it out of the address. Returns whether there is a token. */
export async function enter(): Promise<boolean> {
  const secret = location.hash.slice(1)
  if (secret !== '') {
    history.replaceState(null, '', '/')
    const answer = await post('token', { secret })
    if (answer.ok) {
      token = (await answer.json()).token
      sessionStorage.setItem(tokenName, token)
    }
  }
  return token !== ''
}

const post = (name: string, body: object, signal?: AbortSignal) =>
  fetch(`/api/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-rowlift-token': token },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })

export async function call<N extends RouteName>(name: N, input: Routes[N]['in']): Promise<Routes[N]['out']> {
  const answer = await post(name, input).catch(() => undefined)
  if (answer === undefined || answer.status === 403) throw new CallFailed('ended', '')
  const body = await answer.json()
  if (answer.ok) return body
  const { code, text } = body as Refused
  throw new CallFailed(code, text)
}

/** Takes each state that the server sends; calls `onLost` while it does not answer, and tries again. */
export async function follow(take: (state: State) => void, onLost: () => void): Promise<never> {
  for (;;) {
    const answer = await post('events', {}).catch(() => undefined)
    if (answer?.ok && answer.body)
      try {
        let rest = ''
        for await (const text of answer.body.pipeThrough(
          new TextDecoderStream(),
        ) as unknown as AsyncIterable<string>) {
          const parts = (rest + text).split('\n\n')
          rest = parts.pop() ?? ''
          for (const part of parts) take(JSON.parse(part.replace(/^data: /, '')))
        }
      } catch {}
    onLost()
    await new Promise(again => setTimeout(again, 2_000))
  }
}
