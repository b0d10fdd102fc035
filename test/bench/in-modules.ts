// The command without its bundle, as the modules of the library: a profile of it tells which file took the time. Its words are those of
// the command.
import { setFlagsFromString } from 'node:v8'

for (const flag of ['--heap-growing-percent=30', '--no-allocation-site-pretenuring']) setFlagsFromString(flag) // as in src/bin.ts
const dist = new URL('../../../dist/', import.meta.url)
const load = (module: string) => import(new URL(module, dist).href)
const [{ runCli }, { processContext }] = await Promise.all(
  ['cli/cli.js', 'cli/context.js', 'features.js'].map(load),
)
process.exitCode = await runCli(process.argv.slice(2), processContext())
