// The command without its bundle, as the modules of the library: a profile of it tells which file took the time. Its words are those of
// the command.
import { setFlagsFromString } from 'node:v8'

setFlagsFromString('--heap-growing-percent=30') // as in src/bin.ts
const dist = new URL('../../../dist/', import.meta.url)
const { run } = await import(new URL('cli/cli.js', dist).href)
const { processContext } = await import(new URL('cli/context.js', dist).href)
process.exitCode = await run(process.argv.slice(2), processContext())
