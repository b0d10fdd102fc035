// The calls of the page, and the state that the server sends.
import type { RouteName, Routes, State } from '../api.ts'
import { text } from './texts.ts'

const tokenName = 'rowlift-token'
let token = sessionStorage.getItem(tokenName) ?? ''

/** Swaps the secret of the address for a token, and takes it out of the address. */
export async function enter(): Promise<void> {
  const secret = location.hash.slice(1)
  if (secret === '') return
  history.replaceState(null, '', '/')
  const answer = await post('token', { secret })
  if (!answer?.ok) return
  token = (await answer.json()).token
  sessionStorage.setItem(tokenName, token)
}

/** Undefined if the server is gone. */
const post = (name: string, body: object) =>
  fetch(`/api/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-rowlift-token': token },
    body: JSON.stringify(body),
  }).catch(() => undefined)

/** The answer of a call, or the words for its refusal. */
type Called<Out> = { readonly answer?: Out; readonly refused?: string }

export async function call<N extends RouteName>(name: N, input: object): Promise<Called<Routes[N]['out']>> {
  const response = await post(name, input)
  if (response === undefined || response.status === 403) return { refused: text('ended') }
  const body = await response.json()
  return response.ok ? { answer: body } : { refused: body.text }
}

/** Takes each state that the server sends; calls `onLost` while it does not answer, and tries again. */
export async function follow(take: (state: State) => void, onLost: () => void): Promise<never> {
  for (;;) {
    const answer = await post('events', {})
    const texts = answer?.ok && answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    while (texts) {
      const { value } = await texts.read().catch(() => ({ value: undefined }))
      if (value === undefined) break
      const parts = (rest + value).split('\n\n')
      rest = parts.pop() ?? ''
      for (const part of parts) take(JSON.parse(part.replace(/^data: /, '')))
    }
    onLost()
    await new Promise(again => setTimeout(again, 2_000))
  }
}
