import { stat } from 'node:fs/promises'
import { platform, userInfo } from 'node:os'

// Windows has lists of permissions instead of modes and owners; nothing is told of a file there.

/** Checks whether other users may read a token file. A group may if root owns it: so systemd and Kubernetes pass secrets. */
export async function isReadByOthers(path: string, system = platform()): Promise<boolean> {
  if (system === 'win32') return false
  const { mode, uid } = await stat(path)
  return (mode & (uid === 0 ? 0o007 : 0o077)) !== 0
}

/** Checks whether other users may write to a log, or own it; root may work on any. */
export async function isOfOthers(log: string, { uid } = userInfo(), system = platform()): Promise<boolean> {
  const file = await stat(log).catch(() => undefined)
  if (system === 'win32' || !file?.isFile()) return false
  return (file.mode & 0o022) !== 0 || (uid !== 0 && uid !== file.uid)
}
