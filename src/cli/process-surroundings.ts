import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { WriteStream } from 'node:tty'
import type { Surroundings } from './surroundings.ts'

/** The version of this package. */
export const packageVersion = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version

/** What of this process any run may know, whoever asks for it; its streams are for the command alone. */
export const thisProcess = (): Pick<
  Surroundings,
  'environment' | 'version' | 'pid' | 'host' | 'now' | 'random'
> => ({
  environment: process.env,
  version: packageVersion(),
  pid: process.pid,
  host: hostname(),
  now: () => new Date(),
  random: Math.random,
})

/** This process as the command meets it. */
export const surroundings = (): Surroundings => ({
  ...thisProcess(),
  stdin: process.stdin,
  stdout: process.stdout,
  stdoutIsTerminal: process.stdout.isTTY === true,
  stdoutHasColors: hasColors(process.stdout),
  stderr: process.stderr,
  stderrIsTerminal: process.stderr.isTTY === true,
  stderrHasColors: hasColors(process.stderr),
})

/** A terminal that shows colours, unless NO_COLOR is set; Node also knows TERM, COLORTERM and FORCE_COLOR. */
const hasColors = (stream: WriteStream): boolean => stream.isTTY === true && stream.hasColors()
