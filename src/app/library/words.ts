import { LockError, LogError, SourceError, UsageError } from '../../model/errors.ts'

/** What is told of the command line, as it is for a program: `--base-url` is `baseUrl` there. */
export const wordsInCode = (message: string): string =>
  message
    .replaceAll(/(?<![\w-])--([a-z]+(?:-[a-z]+)*)/g, (_, flag: string) => optionInCode(flag))
    .replaceAll('ROWLIFT_TOKEN', 'token')
    .replaceAll('the same command', 'the same import')

/** The name of an option of the command in code. */
export const optionInCode = (flag: string): string =>
  flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** An error in the words of code, the same one otherwise. */
export function errorInCode(error: unknown): unknown {
  const isOurs = [UsageError, SourceError, LockError, LogError].some(kind => error instanceof kind)
  if (isOurs && error instanceof Error) error.message = wordsInCode(error.message)
  return error
}
