import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { atEnd } from './cleanup.ts'

/** A call as it arrived at a server that writes its answers byte by byte. */
export interface RawCall {
  readonly socket: Socket
  /** The name in its body. */
  readonly name: string
  /** Counts the calls of its connection from 1. */
  readonly onConnection: number
}

export interface RawService {
  readonly url: string
  readonly port: number
  readonly sockets: readonly Socket[]
}

/** Listens on this machine until the test ends. */
export async function listening(server: Server, scheme = 'http'): Promise<RawService> {
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => sockets.push(socket.on('error', () => {})))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise(resolve => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { url: `${scheme}://127.0.0.1:${port}`, port, sockets }
}

/** A service without a library: `onCall` answers as it likes. */
export const startRawService = (onCall: (call: RawCall) => void): Promise<RawService> =>
  listening(createServer(socket => readCalls(socket, onCall)))

/** Reads the calls that come over a connection one after the other. */
function readCalls(socket: Socket, onCall: (call: RawCall) => void): void {
  let text = ''
  let onConnection = 0
  socket.setEncoding('utf8').on('data', chunk => {
    text += chunk
    const found = /^content-length: (\d+)\r\n[\s\S]*?\r\n\r\n/im.exec(text)
    const end = found === null ? Infinity : found.index + found[0].length + Number(found[1])
    if (found === null || text.length < end) return
    const { name } = JSON.parse(text.slice(found.index + found[0].length, end))
    text = text.slice(end)
    onConnection += 1
    onCall({ socket, name, onConnection })
  })
}

/** A whole answer with that body. */
export const answerOf = (body: object | string, head = 'HTTP/1.1 200 OK\r\n'): string => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}
