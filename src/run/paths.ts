import { dirname, isAbsolute, join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { standardInput } from '../input/source.ts'
import { nearest } from '../model/did-you-mean.ts'
import { UsageError } from '../model/errors.ts'
import { configFiles, packageRoot } from '../model/package.ts'
import { intentLogPath, isThere, type Log } from '../store/files/whole-lines.ts'

/** The path of a file relative to the folder of the file that names it, never standard input. */
export function resolveBeside(naming: string, file: string): string {
  const path = isAbsolute(file) ? file : join(dirname(naming), file)
  return path === standardInput ? `./${path}` : path
}

/** Undefined for `-`, which is no file. */
export const fileOf = (path: string | undefined) => (path === standardInput ? undefined : path)

const presetFolder = new URL('config/', packageRoot)
const mark = 'preset:'

export const presetNames = (): string[] =>
  configFiles()
    .flatMap(file => /^([^.]+)\.yaml$/.exec(file)?.[1] ?? [])
    .sort()

export const isPreset = (mapping: string): boolean => mapping.startsWith(mark)

/** Names the import and its log: `contacts` for contacts.yaml, `trello` for preset:trello. */
export const mappingName = (mapping: string): string => parse(mapping.replace(mark, '')).name

/** Name of a mapping that a program passes as an object, in place of a path. */
export const mappingObject = 'mapping object'

/** The path of a mapping file; `preset:NAME` is one that ships. Throws a UsageError that lists the presets. */
export function mappingPath(mapping: string): string {
  if (!isPreset(mapping)) return mapping
  const name = mapping.slice(mark.length)
  const known = presetNames()
  if (!known.includes(name))
    throw new UsageError('unknown_preset', { name, suggestion: nearest(name, known), known })
  return fileURLToPath(new URL(`${name}.yaml`, presetFolder))
}

/** Throws a UsageError if there is no result log at a path. */
export async function checkLogExists(path: Log): Promise<void> {
  if (typeof path !== 'string' || (await isThere(path))) return
  const inFlight = intentLogPath(path)
  if (await isThere(inFlight)) throw new UsageError('log_gone', { path, inFlight })
  throw new UsageError('log_not_found', { path })
}
