import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'

/** Makes a prefix of wine that is a Windows 10, once; returns the environment in which programs of Windows run there. */
export function winePrefix(prefix) {
  const env = { WINEPREFIX: prefix, WINEDEBUG: '-all', NODE_SKIP_PLATFORM_CHECK: '1' }
  if (existsSync(prefix)) return env
  mkdirSync(prefix, { recursive: true })
  for (const words of [
    ['wineboot', '-i'],
    ['winecfg', '-v', 'win10'],
  ])
    spawnSync('wine', words, { env: { ...process.env, ...env }, stdio: 'ignore' })
  return env
}
