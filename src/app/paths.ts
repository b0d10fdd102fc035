import { dirname, isAbsolute, join } from 'node:path'
import { standardInput } from '../input/source.ts'

/** The path of a file that another file names: relative to the folder of that one, and never standard input. */
export function resolveBeside(naming: string, file: string): string {
  const path = isAbsolute(file) ? file : join(dirname(naming), file)
  return path === standardInput ? `./${path}` : path
}
