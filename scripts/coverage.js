// `npm run coverage`: how much of src/ the tests run, and in which files they leave out most. Takes the words of `vitest run`.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const mostShown = 25

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--coverage', ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, vitest, { cwd: root, stdio: 'inherit' })
if (status === 0) tell(filesWithGaps())
process.exitCode = status ?? 1

/** The files of which the tests leave out lines, those with most of them first. */
function filesWithGaps() {
  const { total, ...files } = JSON.parse(
    readFileSync(join(root, 'build/coverage/coverage-summary.json'), 'utf8'),
  )
  return Object.entries(files)
    .map(([file, { lines, branches }]) => ({
      name: relative(root, file),
      lines: lines.pct,
      branches: branches.pct,
      missed: lines.total - lines.covered,
    }))
    .filter(({ missed }) => missed > 0)
    .sort((one, other) => other.missed - one.missed)
}

function tell(files) {
  const percent = share => `${share.toFixed(1)}%`
  const say = (lines, branches, missed, name) =>
    process.stdout.write(`${lines.padStart(8)}${branches.padStart(10)}${missed.padStart(8)}  ${name}\n`)
  const begun = files.filter(({ lines }) => lines > 0)
  say('lines', 'branches', 'missed', 'most missed first')
  for (const { name, lines, branches, missed } of begun.slice(0, mostShown))
    say(percent(lines), percent(branches), String(missed), name)
  const elsewhere = files.filter(({ lines }) => lines === 0).map(({ name }) => name)
  if (elsewhere.length > 0)
    process.stdout.write(
      `\nOf these the tests run nothing themselves; what the built command runs for them is not counted:\n${elsewhere.join(', ')}\n`,
    )
}
