import { basename, dirname, resolve } from 'node:path'
import type { Run } from '../../cli/command.ts'
import { type CliContext, printTo } from '../../cli/context.ts'
import { sleep } from '../../model/clock.ts'
import { reasonOf, UsageError } from '../../model/errors.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { importOptions } from '../../settings/options.ts'
import { parseFlags, readSettings } from '../../settings/settings.ts'
import { calls } from './api.ts'
import { errorStateOf, type Guide, openGuide, stateInWords, stateOf } from './guide.ts'
import { openAddress } from './open-page.ts'
import { pageOptions } from './options.ts'
import { startServer } from './server.ts'
import { sourcesIn } from './sources.ts'

const pollMs = 500
const idleMs = 30 * 60_000

/** `rowlift guide`: serves the page until a signal comes, or nobody used it for half an hour. Throws a UsageError. */
export const runGuide: Run = async ({ positionals, flags }, context) => {
  const own = parseFlags(pageOptions, { port: flags.port, open: flags.open }, context)
  const { port: _port, open: _open, ...ofImport } = flags
  const layers = await readSettings(importOptions, ofImport, context)
  const folder = folderOf(positionals, context)
  const named = [...new Set(positionals.map(path => basename(path)))]
  const sources = named.length > 0 ? named : await sourcesIn(folder)
  return serve(await openGuide({ ...context, cwd: folder }, layers, sources), own)
}

/** All files of an import are in one folder. Throws a UsageError. */
function folderOf(paths: readonly string[], { cwd = '.' }: CliContext): string {
  const [first = cwd, ...others] = paths.map(path => dirname(resolve(cwd, path)))
  const other = others.findIndex(each => each !== first)
  if (other >= 0) throw new UsageError('guide_folders', { file: paths[other + 1] ?? '', first })
  return first
}

async function serve(guide: Guide, { port, open }: { port: number; open: boolean }): Promise<number> {
  const { context, jobs } = guide
  const { clock, interrupts, stdout, stderr } = context
  let usedMs = clock.now().getTime()
  const onCall = () => {
    usedMs = clock.now().getTime()
  }
  const all = { ...guide, invite: (): string => server.invite() }
  const served = { calls, context: all, onCall, state: () => stateOf(guide) }
  const server = await startServer(port, served).catch(error => {
    throw new UsageError('guide_failed', { reason: reasonOf(error) })
  })
  const ending = new AbortController()
  const unwatch = interrupts.onSignal(signal =>
    ending.signal.aborted ? interrupts.exit(exitCodes[signal]) : ending.abort(),
  )
  stdout.write(`${server.invite()}\n`)
  printTo(stderr, 'The page is for this computer alone; the address is good for one use. Ctrl-C ends.\n')
  const removeFile = open ? await openAddress(server.invite()) : async () => {}
  try {
    for (let version: string | undefined; !ending.signal.aborted; ) {
      const state = await errorStateOf(guide)
      if (state.version !== version) server.tell(() => stateInWords(state))
      version = state.version
      if (jobs.isRunning()) onCall()
      if (clock.now().getTime() - usedMs > idleMs) break
      await sleep(clock, pollMs, ending.signal).catch(() => {})
    }
  } finally {
    await guide.close()
    server.close()
    await removeFile()
    unwatch()
  }
  return exitCodes.finished
}
