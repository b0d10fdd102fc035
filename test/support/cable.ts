import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { atEnd } from './cleanup.ts'

/** What a cable does with connections: passes bytes on, refuses new ones, or takes everything and answers nothing. */
type CableState = 'whole' | 'refusing' | 'hanging'

/** Bytes on their way, from the client or, as an answer, to it. */
interface Traffic {
  readonly text: string
  readonly isAnswer: boolean
  /** The same for everything on one connection. */
  readonly connection: object
}

/** A way to a port of this machine that can be cut. */
export interface Cable {
  readonly port: number
  /** Ends every connection at once; new ones are as the state says. */
  cut(): void
  /** Changes the state. Connections that are there are cut when it refuses, and stop where they are when it hangs. */
  set(state: CableState): void
  /** Leads to another port from now on; connections that are there are cut. */
  lead(port: number): void
  /** Asked before bytes are passed on, which wait until it has answered; `cut` ends their connection instead. */
  onTraffic: ((traffic: Traffic) => Promise<'cut' | undefined> | undefined) | undefined
}

/** Lays a cable on a free port of this machine to another port; it is gone with the test. */
export async function layCable(port: number): Promise<Cable> {
  let farPort = port
  let state: CableState = 'whole'
  const ends = new Set<Socket>()
  const held = new Set<Socket>()
  const resume = (socket: Socket) => {
    if (state !== 'hanging' && !held.has(socket)) socket.resume()
  }
  const join = (near: Socket) => {
    if (state === 'refusing') return void near.on('error', () => {}).resetAndDestroy()
    const far = connect(farPort, '127.0.0.1')
    const both = [near, far]
    const end = () => {
      for (const socket of both) {
        ends.delete(socket)
        socket.destroy()
      }
    }
    const carry = async (from: Socket, to: Socket, bytes: Buffer) => {
      const asked = { text: bytes.toString('latin1'), isAnswer: from === far, connection: near }
      const answer = cable.onTraffic?.(asked)
      if (answer !== undefined) {
        held.add(from.pause())
        if ((await answer) === 'cut') end()
        held.delete(from)
        resume(from)
      }
      to.write(bytes)
    }
    for (const socket of both) {
      ends.add(socket)
      socket.setNoDelay().on('error', end).on('close', end)
      socket.on('data', bytes => void carry(socket, socket === near ? far : near, bytes))
      if (state === 'hanging') socket.pause()
    }
  }
  const server = createServer(join)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const cable: Cable = {
    port: (server.address() as AddressInfo).port,
    onTraffic: undefined,
    cut() {
      for (const socket of [...ends]) socket.resetAndDestroy()
    },
    lead(next) {
      farPort = next
      cable.cut()
    },
    set(next) {
      state = next
      if (next === 'refusing') this.cut()
      for (const socket of ends) next === 'hanging' ? socket.pause() : resume(socket)
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
