import { createRequire } from 'node:module'
import { packageRoot } from './package-root.ts'

/** Makes something when it is first asked for, and gives the same from then on. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const load = createRequire(packageRoot)

/** A library that few runs need, loaded when it is first asked for: to load all of them would be a third of the start of a run. */
export const lazyLibrary = <T>(name: string): (() => T) => lazy(() => load(name) as T)
