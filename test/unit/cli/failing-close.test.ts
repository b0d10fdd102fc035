import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { atEnd } from '../../support/cleanup.ts'
import { files, importOf } from '../../support/imports.ts'
import { outcomesIn, rowlift } from '../../support/rowlift.ts'
import { startService } from '../../support/service.ts'

/** Makes each close of a file of some names fail, once it is closed, until the test ends. */
function failCloseOf(name: RegExp): void {
  const { open } = promises
  const use = (as: typeof open) => {
    Object.assign(promises, { open: as })
    syncBuiltinESMExports()
  }
  use(async (path, ...rest) => {
    const file = await open(path, ...rest)
    const close = file.close.bind(file)
    file.close = async () => {
      await close()
      if (name.test(String(path))) throw Object.assign(new Error('close'), { code: 'EDQUOT' })
    }
    return file
  })
  atEnd(() => use(open))
}

it.each([
  ['of results', /results.ndjson$/, 'results.ndjson: cannot be written (EDQUOT)'],
  ['of calls under way', /inflight\..+new$/, 'results.ndjson.inflight: cannot be written (EDQUOT)'],
  ['of rejected rows', /rejected/, 'rejected.csv: cannot be written (EDQUOT)'],
])(
  'a file %s that cannot be closed is no defect: the run ends with 3 and every row has its outcome',
  async (_, name, words) => {
    failCloseOf(name)
    const service = await startService()
    const cwd = await files()
    const args = importOf('tasks.csv', 'task.yaml', service.url, '--rejects', 'rejected.csv')
    expect(await rowlift(args, { cwd })).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(words),
    })
    expect(await outcomesIn(join(cwd, 'results.ndjson'))).toHaveLength(5)
    expect(service.made).toHaveLength(5)
  },
)

it('a preview that cannot be closed is no defect', async () => {
  const cwd = await files()
  const args = ['import', 'tasks.csv', '-m', 'task.yaml', '--dry-run', '--preview', 'seen.ndjson']
  failCloseOf(/seen/)
  expect(await rowlift(args, { cwd })).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('seen.ndjson: cannot be written'),
  })
})
