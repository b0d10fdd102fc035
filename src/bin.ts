#!/usr/bin/env node
import module from 'node:module'
import { setFlagsFromString } from 'node:v8'

// If memory is plenty, V8 lets garbage grow to several times what is in use; a job should stay small. This comes first,
// because compiled code that V8 cached is not used under other flags.
setFlagsFromString('--heap-growing-percent=30')
const { enableCompileCache } = module as { enableCompileCache?: () => void } // Node 22 has it
enableCompileCache?.()

// A reader may close our output, as `| head` does; the run goes on.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

process.on('SIGUSR1', () => {}) // Node would open a debugger

Promise.all([import('./cli/cli.ts'), import('./cli/context.ts'), import('./features.ts')]).then(
  async ([{ runCli }, { processContext }]) => {
    const context = processContext()
    process.exitCode = await runCli(process.argv.slice(2), context)
    context.stdin.destroy() // a pipe that stays open would keep the process alive
  },
)
