import { platform } from 'node:os'
import { win32 } from 'node:path'

const device = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³]) *([.:]|$)/i

/** Checks for a name that Windows has for a device in every folder, with any extension: what is written there is gone. */
export const isDevice = (path: string, system = platform()): boolean =>
  system === 'win32' && device.test(win32.basename(path))

/** A path that is equal for all spellings of it: Windows compares names without case. */
export const comparablePath = (path: string, system = platform()): string =>
  system === 'win32' ? path.toLowerCase() : path
