import { PassThrough } from 'node:stream'
import type { Surroundings } from '../../src/cli/surroundings.ts'

/** What a command finds around it that runs in the process of its test, without a terminal; nobody reads what it says. */
export const surroundings = (): Surroundings => ({
  stdin: new PassThrough(),
  stdout: new PassThrough().resume(),
  stdoutIsTerminal: false,
  stdoutHasColors: false,
  stderr: new PassThrough().resume(),
  stderrIsTerminal: false,
  stderrHasColors: false,
  environment: { ROWLIFT_TOKEN: 'a-secret-token' },
  version: '0.1.0',
  pid: 1,
  host: 'test',
  now: () => new Date(),
  random: Math.random,
})
