import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { atEnd } from './cleanup.ts'

export interface Proxy {
  readonly url: string
  /** What it was asked for, in its order: `CONNECT host:port`. */
  readonly asked: string[]
  /** The credentials that came with each of them. */
  readonly credentials: (string | undefined)[]
}

export interface ProxyOptions {
  /** The port on this machine to which every name leads. */
  readonly port: number
  /** What it answers instead of opening the n-th tunnel (from 1); undefined opens it. */
  readonly refuses?: (tunnel: number) => number | undefined
}

/** A forward proxy on a free port of this machine, which opens tunnels and does nothing else. */
export async function startProxy({ port, refuses = () => undefined }: ProxyOptions): Promise<Proxy> {
  const asked: string[] = []
  const credentials: (string | undefined)[] = []
  const sockets = new Set<Socket>()
  const note = ({ method, url, headers }: IncomingMessage) => {
    asked.push(`${method} ${url}`)
    credentials.push(headers['proxy-authorization'])
  }
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  }

  const server = createServer((_, answer) => answer.writeHead(400).end())
  let tunnels = 0
  server.on('connection', keep)
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    note(incoming)
    tunnels += 1
    const refusal = refuses(tunnels)
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`)
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    keep(onward)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise(resolve => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, credentials }
}
