import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Bytes of all array buffers that are in use now, without garbage, whenever the collector would have come to it. */
export function arrayBytesInUse(): number {
  collectGarbage()
  collectGarbage() // the second ends what the first goes on with in other threads
  return process.memoryUsage().arrayBuffers
}
