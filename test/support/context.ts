import { PassThrough } from 'node:stream'
import type { CliContext } from '../../src/cli/context.ts'
import { systemClock } from '../../src/model/clock.ts'
import { processInfo } from '../../src/platform/process-info.ts'
import { watchingOf } from '../../src/run/logs.ts'
import { lockTimeout } from '../../src/settings/options.ts'
import type { LockWatch } from '../../src/store/files/lock.ts'

/** The context of a command that runs in the test process without a terminal; its output is discarded. */
export const silentContext = (): CliContext => ({
  stdin: new PassThrough(),
  stdout: new PassThrough().resume(),
  stdoutIsTerminal: false,
  stdoutHasColors: false,
  stderr: new PassThrough().resume(),
  stderrIsTerminal: false,
  stderrHasColors: false,
  environment: { ROWLIFT_TOKEN: 'a-secret-token' },
  cwd: undefined,
  version: '0.1.0',
  node: '20.19.0',
  program: ['/usr/bin/node', '/opt/rowlift/rowlift.cjs'],
  pid: 1,
  host: 'test',
  clock: systemClock,
  random: Math.random,
  interrupts: { onSignal: () => () => {}, onUncaught: () => () => {}, exit: () => {} },
})

/** How a command without settings of its own finds out whether a log is held. */
export const watching: LockWatch = watchingOf(processInfo(process), lockTimeout.default)
