// Runs npm scripts side by side, as `npm test` does with what needs no build; fails if one of them does.
import { spawn } from 'node:child_process'

const run = name =>
  new Promise((resolve, reject) => {
    const words = ['run', '--silent', name]
    spawn('npm', words, { stdio: 'inherit', shell: process.platform === 'win32' })
      .on('close', resolve)
      .on('error', reject)
  })
const codes = await Promise.all(process.argv.slice(2).map(run))
process.exitCode = codes.every(code => code === 0) ? 0 : 1
