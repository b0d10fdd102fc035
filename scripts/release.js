// `npm run release`: checks that a release may be made, makes what it holds in build/release/, publishes the package and tags the commit.
// `npm run release -- --dry-run` does all but the last two. docs/release.md has the steps before and after.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const output = join(root, 'build/release')
const isTrial = process.argv.includes('--dry-run')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const tag = `v${version}`
const say = text => process.stdout.write(`${text}\n`)
const run = (command, ...words) =>
  execFileSync(command, words, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
const textOf = (command, ...words) => spawnSync(command, words, { cwd: root, encoding: 'utf8' }).stdout.trim()

const problems = [
  [textOf('git', 'status', '--porcelain') !== '', 'there are changes that are not committed'],
  [textOf('git', 'tag', '--list', tag) !== '', `the tag ${tag} is there already`],
  [
    !new RegExp(`^## \\[${version}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm').test(
      readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    ),
    `CHANGELOG.md has no section "## [${version}] - DATE"`,
  ],
].flatMap(([isSo, text]) => (isSo ? [text] : []))
for (const text of problems) say(`${isTrial ? 'would stop' : 'stopped'}: ${text}`)
if (problems.length > 0 && !isTrial) process.exit(1)

rmSync(output, { recursive: true, force: true })
mkdirSync(output, { recursive: true })
run('npm', 'run', '--silent', 'programs')
run('npm', 'run', '--silent', 'test:programs')
run('npm', 'pack', '--ignore-scripts', '--pack-destination', output)
const programs = join(root, 'build/programs')
for (const name of readdirSync(programs)) copyFileSync(join(programs, name), join(output, name))
const names = readdirSync(output).filter(name => name !== 'SHA256SUMS')
const hashOf = name =>
  createHash('sha256')
    .update(readFileSync(join(output, name)))
    .digest('hex')
const sums = names.map(name => `${hashOf(name)}  ${name}\n`).join('')
writeFileSync(join(output, 'SHA256SUMS'), sums)
say(sums)

const last = [
  ['git', 'tag', '--annotate', tag, '--message', `rowlift ${version}`],
  ['npm', 'publish', join(output, `rowlift-${version}.tgz`), ...(process.env.CI ? ['--provenance'] : [])],
]
for (const words of last) {
  say(`${isTrial ? 'would run' : 'runs'}: ${words.join(' ')}`)
  if (!isTrial) run(...words)
}
