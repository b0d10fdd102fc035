import { platform } from 'node:os'

/** The code of a program that did not start: without a shell Windows starts .exe files alone, and finds no others. */
export const startFailure = (code: string | number, system = platform()): string | number =>
  system === 'win32' && /^(ENOENT|EINVAL)$/.test(`${code}`) ? 'not_exe' : code
