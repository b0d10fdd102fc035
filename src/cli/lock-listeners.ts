import { createRequire } from 'node:module'

/**
 * Loads what the lock is made with, and takes away the listeners for signals that it brings along: they let go of locks
 * when the command ends, and a program has its own. A lock that is left behind then is dead after some seconds.
 */
export function loadLockWithoutListeners(): void {
  const require = createRequire(import.meta.url)
  const library = require.resolve('@bybrave/proper-lockfile2')
  const before = process.listenerCount('SIGTERM')
  require(library)
  if (process.listenerCount('SIGTERM') > before) createRequire(library)('signal-exit').unload()
}
