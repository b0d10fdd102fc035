import { type Sandbox, type SandboxOptions, startSandbox } from '../../../../src/features/sandbox/server.ts'
import { atEnd } from '../../../support/cleanup.ts'

export { tempFolder } from '../../../support/cleanup.ts'

/** A sandbox that is closed when the test ends. */
export async function sandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const started = await startSandbox(options)
  atEnd(() => started.close())
  return started
}

/** A JSON object of an answer, of which a test says what it expects. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is looked into freely, what it holds is what the test asserts
export type Json = any

/** Posts a body with the right token to a path below the sandbox. */
export function post(
  { url }: Sandbox,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    headers: { authorization: 'Bearer sandbox', 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  })
}

export const contactPath = '/v1.0/record/contact/create/7'
export const taskPath = '/v1.0/record/task/create/7'

/** Creates a contact and returns the record that was answered. */
export async function createContact(at: Sandbox, body: object, query = ''): Promise<Json> {
  const response = await post(at, contactPath + query, body)
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return response.json()
}

/** Creates a task and returns the record that was answered. */
export async function createTask(at: Sandbox, body: object): Promise<Json> {
  const response = await post(at, taskPath, body)
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return response.json()
}

/** What `GET /sandbox/stats` answers. */
export async function statsOf(at: Sandbox): Promise<Json> {
  return (await fetch(`${at.url}/sandbox/stats`)).json()
}

/** The lines of `GET /sandbox/records`. */
export async function recordsOf(at: Sandbox): Promise<Json[]> {
  const text = await (await fetch(`${at.url}/sandbox/records`)).text()
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
}

/** The message of an answer that refuses. */
export async function messageOf(response: Response): Promise<string> {
  const { message } = (await response.json()) as Json
  return message
}
