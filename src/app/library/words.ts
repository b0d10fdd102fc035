import { RowliftError } from '../../model/errors.ts'
import { describeError, libraryFace } from '../../report/words.ts'

/** Gives an error its sentence, with the names that options have in code. */
export function errorInCode(error: unknown): unknown {
  if (error instanceof RowliftError) error.message = describeError(error, libraryFace)
  return error
}
