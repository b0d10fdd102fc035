import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { atEnd } from './cleanup.ts'

/** What a cable does with connections: passes bytes on, refuses new ones, or takes everything and answers nothing. */
export type CableState = 'whole' | 'refusing' | 'hanging'

/** A way to a port of this machine that can be cut. */
export interface Cable {
  readonly port: number
  /** Ends every connection at once; new ones are as the state says. */
  cut(): void
  /** Changes the state. Connections that are there are cut when it refuses, and stop where they are when it hangs. */
  set(state: CableState): void
  /** Called with what clients send, on its way. */
  onSent: (bytes: Buffer) => void
  /** How many connections are open. */
  readonly connections: number
}

/** Lays a cable on a free port of this machine to another port; it is gone with the test. */
export async function layCable(port: number): Promise<Cable> {
  let state: CableState = 'whole'
  const pairs = new Set<readonly [Socket, Socket]>()
  const join = (near: Socket) => {
    if (state === 'refusing') return void near.on('error', () => {}).resetAndDestroy()
    const far = connect(port, '127.0.0.1')
    const pair = [near, far] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      for (const socket of pair) socket.destroy()
    }
    for (const socket of pair) socket.setNoDelay().on('error', end).on('close', end)
    near.on('data', bytes => {
      cable.onSent(bytes)
      far.write(bytes)
    })
    far.on('data', bytes => near.write(bytes))
    if (state === 'hanging') for (const socket of pair) socket.pause()
  }
  const server = createServer(join)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const cable: Cable = {
    port: (server.address() as AddressInfo).port,
    onSent: () => {},
    cut() {
      for (const pair of [...pairs]) for (const socket of pair) socket.resetAndDestroy()
    },
    set(next) {
      state = next
      if (next === 'refusing') this.cut()
      else for (const socket of [...pairs].flat()) next === 'hanging' ? socket.pause() : socket.resume()
    },
    get connections() {
      return pairs.size
    },
  }
  atEnd(() => {
    cable.cut()
    return new Promise(resolve => server.close(resolve))
  })
  return cable
}

/** The same URL by way of a cable. */
export function through({ port }: Cable, url: string): string {
  const changed = new URL(url)
  changed.hostname = '127.0.0.1'
  changed.port = String(port)
  return changed.href
}
