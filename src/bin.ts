#!/usr/bin/env node
import module from 'node:module'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

// These come first, because compiled code that V8 cached is not used under other flags.
// If memory is plenty, V8 lets garbage grow to several times what is in use; a job should stay small.
setFlagsFromString('--heap-growing-percent=30')
// With many calls in flight, V8 finds much of them alive, and from then on creates such objects among the old ones, though each is
// needed no longer than its call. Garbage there keeps young objects that it points to: in many runs up to a fifth of the CPU time went there.
setFlagsFromString('--no-allocation-site-pretenuring')
holdYoungSpace()
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

/**
 * Keeps the space of new objects at 8 MB, which newer Nodes let grow to 64 or 128 MB: an import would take 180 to 240 MB in place of 140.
 * The flag that limits it is only read before this code; the one by which it grows is read each time. A limit of the user's own holds.
 */
function holdYoungSpace(): void {
  const { versions, execArgv, env } = process
  const isOwn = [...execArgv, env.NODE_OPTIONS ?? ''].some(text => /semi.space/.test(text))
  if (Number.parseInt(versions.node, 10) < 23 || isOwn) return
  let grows = true
  const look = () => {
    const { space_used_size: used = 0, space_available_size: free = 0 } =
      getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space') ?? {}
    // its whole size has the half that is kept free on Node 24, and leaves out what was not used yet on Node 26
    if (grows === used + free < 7.5 * 1024 * 1024) return // pages take a little of 8 MB for themselves
    grows = !grows // it shrinks while a run waits
    setFlagsFromString(`--semi-space-growth-factor=${grows ? 2 : 1}`)
  }
  setInterval(look, 50).unref()
}
