import { AsyncLocalStorage } from 'node:async_hooks'
import { basename, dirname, resolve } from 'node:path'
import type { Run } from '../../cli/command.ts'
import { type CliContext, printTo } from '../../cli/context.ts'
import { sleep } from '../../model/clock.ts'
import { reasonOf, UsageError } from '../../model/errors.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { importOptions } from '../../settings/options.ts'
import { parseFlags, readSettings } from '../../settings/settings.ts'
import { callsOf } from './api.ts'
import type { Guide } from './guide.ts'
import { Jobs } from './jobs.ts'
import { Mappings } from './mappings.ts'
import { openAddress } from './open-page.ts'
import { type guideOptions, pageOptions } from './options.ts'
import { startServer } from './server.ts'
import { Service } from './service.ts'
import { knownSources, sourcesIn } from './sources.ts'
import { type ErrorState, errorStateOf, stateInWords } from './state.ts'

const pollMs = 500
const idleMs = 30 * 60_000

/** `rowlift guide`: serves the page until a signal comes, or nobody used it for half an hour. Throws a UsageError. */
export const runGuide: Run<typeof guideOptions> = async ({ positionals, flags }, context) => {
  const own = parseFlags(pageOptions, { port: flags.port, open: flags.open }, context)
  const { port: _port, open: _open, ...ofImport } = flags
  const layers = await readSettings(importOptions, ofImport, context)
  const folder = folderOf(positionals, context)
  const named = [...new Set(positionals.map(path => basename(path)))]
  const sources = named.length > 0 ? named : await sourcesIn(folder)
  const inFolder = { ...context, cwd: folder }
  const mappings = new Mappings(inFolder, sources)
  const service = await Service.open(inFolder, layers, mappings)
  const guide: Guide = {
    ...{ context: inFolder, service, mappings },
    known: knownSources(inFolder, mappings),
    jobs: new Jobs(inFolder, service),
  }
  return serve(guide, own)
}

/** All files of an import are in one folder. Throws a UsageError. */
function folderOf(paths: readonly string[], { cwd = '.' }: CliContext): string {
  const [first = cwd, ...others] = paths.map(path => dirname(resolve(cwd, path)))
  const other = others.findIndex(each => each !== first)
  if (other >= 0) throw new UsageError('guide_folders', { file: paths[other + 1] ?? '', first })
  return first
}

async function serve(guide: Guide, { port, open }: { port: number; open: boolean }): Promise<number> {
  const { context, jobs, known, service } = guide
  const { clock, interrupts, stdout, stderr } = context
  const listeners = new Set<(state: ErrorState) => void>()
  let usedMs = clock.now().getTime()
  const onCall = () => {
    usedMs = clock.now().getTime()
  }
  const handlers = callsOf(guide, () => server.gate.invite())
  const listen = (send: (state: object) => void) => {
    const tell = AsyncLocalStorage.bind((state: ErrorState) => send(stateInWords(state))) // in its page's language
    listeners.add(tell)
    errorStateOf(guide).then(tell, () => {})
    return () => void listeners.delete(tell)
  }
  const server = await startServer(port, { handlers, listen, onCall }).catch(error => {
    throw new UsageError('guide_failed', { reason: reasonOf(error) })
  })
  const ending = new AbortController()
  const unwatch = interrupts.onSignal(signal =>
    ending.signal.aborted ? interrupts.exit(exitCodes[signal]) : ending.abort(),
  )
  const url = server.gate.invite()
  stdout.write(`${url}\n`)
  printTo(stderr, 'The page is for this computer alone; the address is good for one use. Ctrl-C ends.\n')
  const removeFile = open ? await openAddress(server.gate.invite()) : async () => {}
  try {
    for (let version: string | undefined; !ending.signal.aborted; ) {
      const state = await errorStateOf(guide)
      if (state.version !== version) for (const tell of listeners) tell(state)
      version = state.version
      if (jobs.isRunning) onCall()
      if (clock.now().getTime() - usedMs > idleMs) break
      await sleep(clock, pollMs, ending.signal).catch(() => {})
    }
  } finally {
    await jobs.close()
    await known.close()
    await service.close()
    server.close()
    await removeFile()
    unwatch()
  }
  return exitCodes.finished
}
