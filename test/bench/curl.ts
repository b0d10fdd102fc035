import { devNull } from 'node:os'
import { type Ended, runToSuccess } from './children.ts'

/** The same calls as sections of a curl configuration file. */
export const curlConfig = (url: string, token: string, bodies: readonly string[]): string =>
  bodies.map(body => section(url, token, body)).join('next\n')

const section = (url: string, token: string, body: string) =>
  [
    `url = ${quoted(url)}`,
    `header = ${quoted(`authorization: Bearer ${token}`)}`,
    'header = "content-type: application/json"',
    'header = "accept: application/json"',
    `data-raw = ${quoted(body)}`,
    `output = ${quoted(devNull)}`,
    '',
  ].join('\n')

/** As curl reads it between quotes; a body in JSON has no other signs that would need it. */
const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`

/** The words of a curl that makes them, so many at once; connections are kept as curl does it by itself. */
export const curlArgs = (configFile: string, concurrency: number): string[] => [
  ...['--silent', '--show-error', '--parallel', '--parallel-max', String(concurrency)],
  ...['--config', configFile],
]

/** Runs curl as it is by itself, whatever this machine's settings for it say. */
export const runCurl = (args: readonly string[]): Promise<Ended> =>
  runToSuccess('curl', ['--disable', ...args], { env: { PATH: process.env.PATH } })

/** Whether there is a curl on this machine. */
export const curlIsHere = (): Promise<boolean> =>
  runCurl(['--version']).then(
    () => true,
    () => false,
  )
