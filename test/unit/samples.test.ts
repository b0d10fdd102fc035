import { cp, readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../support/cleanup.ts'
import { comparable, expectItsTestsToHold } from '../support/expectations.ts'
import { bodyOf, idOf, parentsIn, startCheckingService } from '../support/references.ts'
import { into, linesOf, rowlift } from '../support/rowlift.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const samples = [
  ['contacts-google', 'contacts.csv', 'mapping.yaml', 'expected.ndjson'],
  ['people-and-organizations', 'directory.csv', 'organizations.yaml', 'organizations.expected.ndjson'],
  ['people-and-organizations', 'directory.csv', 'people.yaml', 'people.expected.ndjson'],
  ['tasks-asana', 'tasks.csv', 'mapping.yaml', 'expected.ndjson'],
  ['tasks-ndjson', 'tasks.ndjson', 'mapping.yaml', 'expected.ndjson'],
] as const

describe.each(samples)('the sample %s/%s by %s', (folder, source, mapping, expected) => {
  const path = (file: string) => `samples/${folder}/${file}`

  it('comes out as it is written down, row for row', async () => {
    const run = await rowlift(['import', path(source), '-m', path(mapping), '--dry-run', '--preview', '-'], {
      cwd: root,
    })
    const lines = linesOf(await readFile(new URL(`../../${path(expected)}`, import.meta.url), 'utf8'))
    expect(linesOf(run.stdout).map(comparable)).toEqual(lines)
    expect(run.exitCode).toBe(lines.some(line => line.status === 'invalid') ? 1 : 0)
  })
})

const mappings = (await readdir(`${root}/samples`, { recursive: true })).filter(
  file => file.endsWith('.yaml') && !file.endsWith('plan.yaml'),
)

describe('a mapping in samples/', () => {
  it.each(mappings)('has tests that hold: %s', async file => {
    expectItsTestsToHold(file, await readFile(`${root}/samples/${file}`, 'utf8'))
  })
})

describe('the migration of three imports', () => {
  const one = (source: string, name: string, url: string) => [
    ...['import', source, '-m', `${name}.yaml`, ...into(url, `${name}.results.ndjson`)],
  ]
  const ways: readonly (readonly [string, (url: string) => string[][]])[] = [
    [
      'run one by one',
      url => [
        one('companies.csv', 'organizations', url),
        one('people.csv', 'people', url),
        one('tasks.csv', 'tasks', url),
      ],
    ],
    [
      'run by its plan',
      url => [['import', '--plan', 'plan.yaml', '--base-url', url, '--organization-id', '7']],
    ],
  ]

  it.each(ways)(
    'keeps every link, from people to organizations, from tasks to people, and among tasks, %s',
    async (_, commands) => {
      const service = await startCheckingService()
      const cwd = await tempFolder()
      await cp(new URL('../../samples/migration', import.meta.url), cwd, { recursive: true })
      for (const args of commands(service.url))
        expect(await rowlift(args, { cwd })).toMatchObject({ exitCode: 0 })
      expect(service.violations).toEqual([])
      expect(service.made).toHaveLength(10)
      expect(parentsIn(service)).toMatchObject({
        ...{
          'Noor Haddad': 'Cedar & Salt',
          'Owen Price': 'Harbour Joinery Ltd',
          'Imogen Hartwell': undefined,
        },
        ...{
          'Plane the shelves': 'Fit the shop',
          'Fit the shop': 'Open the shop',
          'Print leaflets': 'Open the shop',
        },
      })
      const ids = ['Owen Price', 'Noor Haddad'].map(name => ({ record_id: idOf(service, name) }))
      expect(bodyOf(service, 'Fit the shop')).toMatchObject({ contacts: ids, assigned_user: { user_id: 41 } })
    },
  )

  it('is checked as a whole by a dry run, before anything is there', async () => {
    const run = await rowlift(['import', '--plan', 'samples/migration/plan.yaml', '--dry-run'], { cwd: root })
    expect(run.exitCode).toBe(0)
    expect(linesOf(run.stdout)).toHaveLength(9)
  })
})
