import { EventEmitter, once } from 'node:events'

const home = process.cwd()
const events = new EventEmitter().setMaxListeners(0)
let folder = home
let users = 0

/**
 * Does something in a folder, which is the working directory of this process meanwhile, so that messages name files as a person
 * would. There is one: what is to be done in another folder waits.
 */
export async function inFolder<T>(cwd: string, work: () => Promise<T>): Promise<T> {
  while (users > 0 && folder !== cwd) await once(events, 'left')
  if (users === 0) process.chdir(cwd)
  folder = cwd
  users += 1
  try {
    return await work()
  } finally {
    users -= 1
    if (users === 0) {
      process.chdir(home) // the folder is about to be removed
      events.emit('left')
    }
  }
}
