import { stat } from 'node:fs/promises'
import { platform } from 'node:os'
import { UsageError } from '../model/errors.ts'
import { keepSecret } from '../model/secrets.ts'
import { readUserFile } from '../model/user-file.ts'

/** The bearer token of a run (interface 5). */
export interface Token {
  readonly value: string
  /** Gets it, if a program prints it. Awaited before the first call. Throws a UsageError. */
  begin(signal: AbortSignal): Promise<unknown>
  /** Gets it again after it was refused; true when it is another one now. The signal ends that. */
  renew(refused: string, signal: AbortSignal): Promise<boolean>
}

const sendable = /^[\x21-\x7e]+$/

/** Throws a UsageError that names where a text is from that is no token. */
export function checked(text: string, file?: string): string {
  const token = text.trim()
  if (!sendable.test(token)) throw new UsageError(token === '' ? 'empty_token' : 'bad_token', { file })
  keepSecret(token)
  return token
}

export function fixedToken(text: string): Token {
  return { value: checked(text), begin: async () => {}, renew: async () => false }
}

/** Whether other users may read a token file. A group that root gave it to is meant to: so systemd and Kubernetes pass secrets. */
export async function isReadByOthers(path: string): Promise<boolean> {
  if (platform() === 'win32') return false
  const { mode, uid } = await stat(path)
  return (mode & (uid === 0 ? 0o007 : 0o077)) !== 0
}

/** A token kept in a file, which may be rotated while the job runs. Throws a UsageError when it cannot be read. */
export async function tokenFromFile(path: string): Promise<Token> {
  const read = async () => checked(`${await readUserFile('token file', path)}`, path)
  return renewable(read, await read())
}

/** A token that can be got again, once for all calls that were refused it. Without a value it is got when the run begins. */
export function renewable(
  get: (signal: AbortSignal) => Promise<string>,
  value = '',
  onFailed: (error: unknown) => void = () => {},
): Token {
  let getting: Promise<void> | undefined
  const renewed = async (signal: AbortSignal) => {
    token.value = await get(signal)
  }
  const getOnce = (signal: AbortSignal) => {
    getting ??= renewed(signal).finally(() => {
      getting = undefined
    })
    return getting
  }
  const token = {
    value,
    async begin(signal: AbortSignal) {
      if (token.value === '' && !signal.aborted)
        await getOnce(signal).catch(error => signal.aborted || Promise.reject(error))
    },
    async renew(refused: string, signal: AbortSignal) {
      if (token.value === refused) await getOnce(signal).catch(error => signal.aborted || onFailed(error))
      return token.value !== refused
    },
  }
  return token
}
