/** Marks the end of a closed switch: the compiler refuses a case that was forgotten. */
export function unreachable(value: never): never {
  throw new Error(`not foreseen: ${JSON.stringify(value)}`)
}
