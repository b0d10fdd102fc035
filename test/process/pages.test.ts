import { readdir, stat } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { Shell, type Step, stepsOf } from '../support/page-commands.ts'
import { pageFiles } from '../support/page-files.ts'
import { scenes } from '../support/page-scenes.ts'
import { blocksOf, pages } from '../support/pages.ts'
import { folderWith } from '../support/rowlift.ts'
import { startService } from '../support/service.ts'
import { shows } from '../support/shown-output.ts'

/** Commands that are left out, and why. */
const leftOut: readonly (readonly [RegExp, string])[] = [
  [/^npm /, 'it installs, or runs these tests'],
  [/^(curl|psql|duckdb|soffice|LC_ALL=C awk) /, 'test/process/recipes.test.ts runs it'],
  [/^docker /, 'there is no image'],
  [/^(Task,Due|\{"schema_version":1,"source")/, 'test/unit/features/draft/answers.test.ts compares it'],
  [/^(install|sha256sum|codesign|xattr) /, 'it needs the files of a release, or macOS'],
]

const forUsers = pages.filter(page => page === 'README.md' || page.startsWith('docs/'))
const shown = forUsers.map(page => ({ page, steps: stepsOf(page) })).filter(({ steps }) => steps.length > 0)

/** A folder with the files that pages name, and a service that loses its first answer to each call of a task "Call …". */
async function newShell(): Promise<Shell> {
  const service = await startService({
    react: (attempt, { body }) =>
      attempt === 1 && String(body.name).startsWith('Call') ? { cut: 'after creating' } : 'create',
  })
  const shell = new Shell(await folderWith({}), service)
  for (const [name, content] of Object.entries(pageFiles)) await shell.write(name, content)
  return shell
}

async function runs({ text, exitCode }: Step, shell: Shell): Promise<void> {
  const before = shell.outputs.length
  const ended = await shell.run(text)
  const said = shell.outputs.slice(before).join('\n')
  expect(exitCode === undefined ? [0, 1] : [exitCode], `${text}\n${said}`).toContain(ended)
  const [, written] = /> (\S+)$/.exec(text) ?? []
  if (written !== undefined) expect([text, (await stat(shell.pathOf(written))).size]).not.toEqual([text, 0])
}

async function wasShown({ text }: Step, { cwd, outputs, read }: Shell): Promise<void> {
  const files = (await readdir(cwd)).filter(name => /\.(ndjson|csv)$/.test(name))
  const texts = [...(await Promise.all(files.map(read))), ...outputs]
  expect(
    texts.some(each => shows(each, text)),
    `${text}\nis not in\n${texts.join('\n').slice(-3_000)}`,
  ).toBe(true)
}

describe('the pages', () => {
  it.each(shown)(
    'the commands of $page run one after the other, and print what it shows',
    async ({ page, steps }) => {
      const shell = await newShell()
      const scene = new Map(Object.entries(scenes[page] ?? {}))
      const prepare = async (begins: string) => {
        await scene.get(begins)?.(shell)
        scene.delete(begins)
      }
      await prepare('')
      for (const step of steps) {
        if (leftOut.some(([pattern]) => pattern.test(step.text))) continue
        await prepare([...scene.keys()].find(begins => step.text.startsWith(begins)) ?? '')
        await (step.kind === 'command' ? runs : wasShown)(step, shell)
      }
      expect([...scene.keys()]).toEqual([])
    },
  )

  it('the pages have no scene and no reason to leave something out that is not used', () => {
    const texts = shown.flatMap(({ steps }) => steps.map(({ text }) => text))
    expect(leftOut.filter(([pattern]) => !texts.some(text => pattern.test(text)))).toEqual([])
    expect(shown.map(({ page }) => page)).toEqual(expect.arrayContaining(Object.keys(scenes)))
  })

  it('each block of a page for users says what it is', () => {
    const known = ['sh', 'text', 'json', 'csv', 'yaml', 'crontab', 'sql', 'ts', 'bat', 'powershell']
    for (const page of forUsers.filter(page => page.startsWith('docs/usage/')))
      for (const { language, text } of blocksOf(page)) expect(known, `${page}: ${text}`).toContain(language)
  })
})
