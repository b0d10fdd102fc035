import type { StopReasons } from '../model/errors.ts'

export type Signal = StopReasons['signal']['signal']

/** What ends an import, and as what. Windows sends SIGBREAK for Ctrl-Break, and SIGHUP some seconds before it ends us with the console. */
const signals: readonly (readonly [NodeJS.Signals, Signal])[] = [
  ['SIGINT', 'SIGINT'],
  ['SIGBREAK', 'SIGINT'],
  ['SIGTERM', 'SIGTERM'],
  ['SIGHUP', 'SIGHUP'],
]

/** Calls a listener at each signal; the returned function removes it. */
export function onSignal(listener: (signal: Signal) => void): () => void {
  const listeners = signals.map(([name, signal]) => [name, () => listener(signal)] as const)
  for (const [name, listen] of listeners) process.on(name, listen)
  return () => {
    for (const [name, listen] of listeners) process.off(name, listen)
  }
}
