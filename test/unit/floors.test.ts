import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const src = fileURLToPath(new URL('../../src', import.meta.url))

/** Which floors a floor may stand on, besides itself; those side by side never import each other. */
const ground = ['records', 'model']
const sideBySide = ['engine', 'input', 'mapping', 'api', 'journal', 'report', 'sandbox']
const floors: Readonly<Record<string, readonly string[]>> = {
  'bin.ts': ['cli'],
  'index.ts': ['app', ...ground],
  cli: ['app', ...sideBySide, ...ground],
  app: [...sideBySide, ...ground],
  engine: ground,
  input: ground,
  mapping: ground,
  api: ground,
  journal: ground,
  report: ground,
  sandbox: [],
  records: [],
  model: [],
}
const exceptions = new Set(['report -> journal/lines.ts'])

interface Source {
  readonly file: string
  readonly floor: string
  readonly text: string
}

async function sources(): Promise<Source[]> {
  const files = await readdir(src, { recursive: true })
  return Promise.all(
    files
      .filter(file => file.endsWith('.ts'))
      .map(async file => ({
        file,
        floor: file.split(sep)[0] ?? '',
        text: await readFile(join(src, file), 'utf8'),
      })),
  )
}

const localImports = ({ text }: Source) =>
  [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(match => match[1] ?? '')

/** Lines of code: without blank lines and comments. */
const codeLines = (text: string) =>
  text.split('\n').filter(line => line.trim() !== '' && !/^\s*(\/\/|\/?\*)/.test(line))

describe('the house', async () => {
  const all = await sources()

  it('has the floors that this test knows, and no others', () => {
    expect([...new Set(all.map(({ floor }) => floor))].sort()).toEqual(Object.keys(floors).sort())
  })

  it('imports only from the floors below', () => {
    const wrong = all.flatMap(source =>
      localImports(source).flatMap(path => {
        const target = relative(src, join(src, dirname(source.file), path)).split(sep)
        const floor = target[0] ?? ''
        const allowed = floor === source.floor || (floors[source.floor] ?? []).includes(floor)
        return allowed || exceptions.has(`${source.floor} -> ${target.join('/')}`)
          ? []
          : [`${source.file} -> ${target.join('/')}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  it('knows of the process in the command and in the library themselves', () => {
    const withoutComments = (text: string) => text.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '')
    const readers = all.filter(({ text }) =>
      /(?<![.'\w])process[.)]|'node:process'/.test(withoutComments(text)),
    )
    const ofOthers = join('journal', 'process-identity.ts') // it asks whether another process lives
    expect(readers.map(({ file }) => file).sort()).toEqual([
      'bin.ts',
      join('cli', 'context.ts'),
      'index.ts',
      ofOthers,
    ])
  })

  it('imports got and the other tools of one floor in that floor only', () => {
    const homes = {
      got: 'api',
      'csv-parse': 'input',
      'csv-stringify': 'journal',
      'iconv-lite': 'input',
      pino: 'report',
      'prom-client': 'report',
      fastify: 'sandbox',
    }
    const strays = all.flatMap(({ file, floor, text }) =>
      Object.entries(homes).flatMap(([library, home]) =>
        floor !== home && text.includes(`from '${library}'`) ? [`${file} imports ${library}`] : [],
      ),
    )
    expect(strays).toEqual([])
  })

  it('has no default exports and no file past 250 lines of code, but for the table of options', () => {
    expect(all.filter(({ text }) => /^export default/m.test(text)).map(({ file }) => file)).toEqual([])
    const tooLong = all.filter(({ text }) => codeLines(text).length > 250).map(({ file }) => file)
    expect(tooLong.filter(file => file !== 'app/options.ts')).toEqual([])
  })
})
