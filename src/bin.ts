#!/usr/bin/env node
import module from 'node:module'
import { setFlagsFromString } from 'node:v8'

// With much memory about, V8 lets garbage pile up to several times what is in use; the job is to stay small instead. It comes
// first, for whatever V8 has kept of compiled code is of no use under other flags.
setFlagsFromString('--heap-growing-percent=30')
const { enableCompileCache } = module as { enableCompileCache?: () => void } // Node 22 has it
enableCompileCache?.()

// Whoever reads our words may go away, as `| head` does; what is under way goes on all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

Promise.all([import('./cli/cli.ts'), import('./cli/context.ts')]).then(
  async ([{ run }, { processContext }]) => {
    process.exitCode = await run(process.argv.slice(2), processContext())
  },
)
