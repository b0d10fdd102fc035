// The two steps of `npm run build` around the compiler: `clean` removes what an earlier build left, `types` keeps of the
// declarations only those that a program sees which imports the library, and describes its options by their table.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../dist', import.meta.url))

/** A declaration, and those that it imports. */
function seenFrom(file, seen = new Set()) {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?['"](\.[^'"]+)\.ts['"]/g))
    seenFrom(join(dirname(file), `${path}.d.ts`), seen)
  return seen
}

function keepTypes() {
  const seen = seenFrom(join(dist, 'index.d.ts'))
  for (const name of readdirSync(dist, { recursive: true })) {
    const file = join(dist, name)
    if (file.endsWith('.d.ts') && !seen.has(file)) rmSync(file)
  }
}

/** Gives the options that the library shares with the command their texts as docstrings, which editors show. */
async function describeOptions() {
  const { importOptions } = await import('../dist/settings/options.js')
  const file = join(dist, 'library/options.d.ts')
  const types = readFileSync(file, 'utf8')
  const start = 'export interface ImportOptions extends SharedOptions {\n'
  const fields = Object.entries(importOptions).flatMap(([name, option]) => {
    if (option.isForCommand || new RegExp(`readonly ${name}\\??: `).test(types)) return []
    const byDefault = option.defaultText ?? option.default
    const text = `${option.text}.${byDefault === undefined ? '' : ` By default: ${byDefault}.`}`
    return `    /** ${text} */\n    readonly ${name}?: SharedOptions['${name}'];\n`
  })
  writeFileSync(
    file,
    types.replace(start, () => start + fields.join('')),
  )
}

if (process.argv[2] === 'clean') rmSync(dist, { recursive: true, force: true })
else {
  keepTypes()
  await describeOptions()
}
