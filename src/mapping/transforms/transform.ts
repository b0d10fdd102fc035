import { isProblem } from '../../model/problem.ts'
import { textOf } from '../../model/values.ts'

/** Turns one value that is not empty into what the body carries; undefined is empty, a Problem makes the row invalid. */
export type Transform = (value: unknown) => unknown

/** A transform that works on the value's text. */
export const onText =
  (read: (text: string) => unknown): Transform =>
  value => {
    const text = textOf(value)
    return isProblem(text) ? text : read(text)
  }
