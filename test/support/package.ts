import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tempFolder } from './cleanup.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** The package as npm would publish it. */
export interface Packed {
  readonly tarball: Buffer
  /** The files in it, by their paths. */
  readonly files: readonly string[]
}

/** Packs what was built. */
export async function packed(): Promise<Packed> {
  const folder = await tempFolder()
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', folder],
    { cwd: root },
  )
  const [{ filename, files }] = JSON.parse(stdout)
  return {
    tarball: await readFile(join(folder, filename)),
    files: files.map(({ path }: { path: string }) => path).sort(),
  }
}

/** A folder of a program in which the package is installed, as npm would do it, with its dependencies and nothing else. */
export async function programWith(
  { tarball }: Packed,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = await tempFolder()
  const installed = join(folder, 'node_modules', 'rowlift')
  await mkdir(installed, { recursive: true })
  await writeFile(join(folder, 'rowlift.tgz'), tarball)
  await run('tar', ['xzf', join(folder, 'rowlift.tgz'), '--strip-components=1', '-C', installed])
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  for (const name of [...Object.keys(dependencies), '@types'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  for (const [name, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files }))
    await writeFile(join(folder, name), text)
  return folder
}

/** Links what was built as a global command, as `npm install -g .` does, into a folder of its own. */
export const linkedAt = (prefix: string) =>
  run('npm', ['install', '-g', '--prefix', prefix, '--offline', '--ignore-scripts', root], { cwd: prefix })

/** Compiles a program and the declarations that it imports strictly; returns the errors of the compiler. */
export async function compiled(folder: string): Promise<string> {
  const tsconfig = {
    compilerOptions: {
      ...{ target: 'es2022', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true },
      ...{ noUncheckedIndexedAccess: true, skipLibCheck: false, types: ['node'] },
    },
    include: ['*.ts'],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  return run(process.execPath, [tsc, '-p', folder], { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  )
}

/** Runs a file of a program to its end. */
export const runIn = (
  folder: string,
  file: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
) => run(process.execPath, [file, ...args], { cwd: folder, env: { PATH: process.env.PATH ?? '', ...env } })
