// npm runs it before the package is packed, published or linked: `npm install -g .` in a fresh clone has no compiler yet.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const cwd = fileURLToPath(new URL('..', import.meta.url))
const npm = (...args) =>
  execFileSync('npm', args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' })

if (!existsSync(new URL('../node_modules/typescript', import.meta.url)))
  npm('ci', '--ignore-scripts', '--include=dev', '--no-global', '--no-audit', '--no-fund')
npm('run', 'build')
