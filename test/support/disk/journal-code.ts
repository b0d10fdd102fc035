import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import type { Problem } from '../../../src/model/problem.ts'
import * as kinds from '../../../src/records/kinds.ts'
import * as checksum from '../../../src/store/files/checksum.ts'
import { fileSystemOf } from './file-system.ts'
import type { Process } from './machine.ts'

const src = fileURLToPath(new URL('../../../src/', import.meta.url))
const parts = [
  'store/files/checkpoint',
  'store/files/journal',
  'store/files/lock',
  'features/reconcile/doubts',
  'features/log-tools/repair',
]

type Code = typeof import('../../../src/store/files/checkpoint.ts') &
  typeof import('../../../src/store/files/journal.ts') &
  typeof import('../../../src/store/files/lock.ts') &
  typeof import('../../../src/features/reconcile/doubts.ts') &
  typeof import('../../../src/features/log-tools/repair.ts')

/** Loads src/store/files anew for a process of the model. */
export type JournalCode = (process: Process) => Code

/** A change of the text of one file of src/. */
export interface Patch {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** A few rows outgrow an intent log, and need only small tables. */
const smallScale: readonly Patch[] = [
  { file: 'store/files/intent-log.ts', from: 'mostGrowth = 4_000_000', to: 'mostGrowth = 500' },
  { file: 'model/key-table.ts', from: 'Segment(16 *', to: 'Segment(2 *' },
  { file: 'model/key-table.ts', from: 'numbersOf(bytes, 1024)', to: 'numbersOf(bytes, 16)' },
]

const require = createRequire(import.meta.url)
/** All processes share them: they keep nothing. The table of the checksum is long to make. */
const shared: Record<string, unknown> = {
  ...Object.fromEntries(
    ['node:crypto', 'node:events', 'node:path', 'node:util', 'node:zlib'].map(name => [name, require(name)]),
  ),
  './checksum.ts': checksum,
  '../../store/files/checksum.ts': checksum,
  '../../records/kinds.ts': kinds,
  '../../output/words.ts': { describeProblem: ({ code }: Problem) => code },
}

/** The journal's own code, with patches, above the file system of the model. */
export async function journalCode(...patches: readonly Patch[]): Promise<JournalCode> {
  const text = await bundled([...smallScale, ...patches])
  const load = new Function('require', 'exports', 'performance', text)
  return process => {
    const { sync, promises } = fileSystemOf(process)
    const modules: Record<string, unknown> = {
      'node:fs': sync,
      'node:fs/promises': promises,
      'node:os': { platform: () => 'linux' },
      'node:process': { kill: () => false },
      'node:timers/promises': { setImmediate: process.turn },
    }
    const code = {}
    load((name: string) => modules[name] ?? shared[name], code, process.stopwatch)
    return code as Code
  }
}

async function bundled(patches: readonly Patch[]): Promise<string> {
  const bundle = await rolldown({
    input: 'parts',
    platform: 'node',
    plugins: [
      {
        name: 'patches',
        resolveId: id => (id === 'parts' || id in shared ? { id, external: id !== 'parts' } : undefined),
        load: id =>
          id === 'parts' ? parts.map(part => `export * from '${src}${part}.ts'`).join('\n') : patched(id),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'cjs', exports: 'named' })
  await bundle.close()
  return output[0].code

  async function patched(id: string): Promise<string | undefined> {
    const found = patches.filter(({ file }) => id === src + file)
    if (found.length === 0) return undefined
    return found.reduce(replaceOnce, await readFile(id, 'utf8'))
  }
}

function replaceOnce(text: string, { file, from, to }: Patch): string {
  const [before, after, ...more] = text.split(from)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${file} has not once, as the patch expects: ${from}`)
  return before + to + after
}
