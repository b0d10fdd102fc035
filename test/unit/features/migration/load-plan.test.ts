import { execFileSync } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { portsOf } from '../../../../src/cli/context.ts'
import { openPlan } from '../../../../src/features/migration/load-plan.ts'
import type { MigrationStep } from '../../../../src/features/migration/order.ts'
import { storeOf, withFeatures } from '../../../../src/features.ts'
import { UsageError } from '../../../../src/model/errors.ts'
import { type PreparedStep, preparePlan } from '../../../../src/run/plan.ts'
import { importOptions } from '../../../../src/settings/options.ts'
import { parseSettings, readSettings } from '../../../../src/settings/settings.ts'
import { withChecksum } from '../../../../src/store/files/checksum.ts'
import { silentContext } from '../../../support/context.ts'
import { migrationFiles } from '../../../support/migration.ts'
import { folderWith } from '../../../support/rowlift.ts'

const service = 'base-url: http://127.0.0.1:9\norganization-id: 7\n'
const steps = (...lines: string[]) => `${service}steps:\n${lines.map(line => `  ${line}\n`).join('')}`
const organizations = 'organizations: { source: o.csv, mapping: o.yaml }'
const people = 'people: { source: p.csv, mapping: p.yaml }'
const tasks = 'tasks: { source: t.csv, mapping: t.yaml }'

interface Asked {
  readonly files?: Readonly<Record<string, string>>
  readonly flags?: Readonly<Record<string, unknown>>
  readonly environment?: Readonly<Record<string, string>>
  readonly sources?: readonly string[]
}

/** Opens a plan in a folder with the files of a migration, and prepares its steps. */
async function open(plan: string, asked: Asked = {}) {
  const folder = await folderWith({ ...migrationFiles, 'plan.yaml': plan, ...asked.files })
  return openIn(folder, asked)
}

async function openIn(folder: string, { flags = {}, environment = {}, sources = [] }: Asked = {}) {
  const context = { ...silentContext(), environment: { ROWLIFT_TOKEN: 'a-token', ...environment } }
  const layers = await readSettings(importOptions, flags, { ...context, environment })
  const alone = parseSettings(
    importOptions,
    new Map([['plan', { value: join(folder, 'plan.yaml'), from: '' }]]),
  )
  const ports = portsOf(context)
  const { load } = await openPlan(alone, sources, layers, { ...ports, storeOf })
  const loaded = await load()
  const prepared: readonly PreparedStep[] = await preparePlan(loaded, {
    ...ports,
    emit: () => {},
    extend: withFeatures,
  })
  const steps = prepared as readonly (PreparedStep & MigrationStep)[]
  return { steps, settings: loaded.settings }
}

const named = async (plan: string, asked?: Asked) => (await open(plan, asked)).steps.map(({ name }) => name)

/** What is wrong with a plan, one fault a line, without the folder of its files. */
async function faultsIn(plan: string, asked?: Asked): Promise<string[]> {
  const error = await open(plan, asked).then(
    () => new Error('the plan has no fault'),
    error => error,
  )
  if (!(error instanceof UsageError)) throw error
  return error.message.replaceAll(/\S*rowlift-test-[^/]*\//g, '').split('\n')
}

describe('steps of a plan', () => {
  it('steps of a plan run in their order, but after the steps that they need', async () => {
    expect(await named(steps(organizations, people, tasks))).toEqual(['organizations', 'people', 'tasks'])
    expect(await named(steps(tasks, people, organizations))).toEqual(['organizations', 'people', 'tasks'])
    const alone = 'alone: { source: o.csv, mapping: o.yaml, needs: tasks }'
    expect(await named(steps(alone, organizations, tasks, people))).toEqual([
      ...['organizations', 'people', 'tasks', 'alone'],
    ])
  })

  it('steps of a plan are identified by the path of their results, through links too', async () => {
    const folder = await folderWith({
      ...migrationFiles,
      't.yaml': migrationFiles['t.yaml'].replace('people.results.ndjson', 'linked.ndjson'),
      'plan.yaml': steps(tasks, people.replace('mapping', 'results: ./log.ndjson, mapping'), organizations),
    })
    await symlink('log.ndjson', join(folder, 'linked.ndjson'))
    const { steps: found } = await openIn(folder)
    expect(found.map(({ name }) => name)).toEqual(['organizations', 'people', 'tasks'])
    expect(found[2]?.needs).toEqual(['people'])
  })

  it('steps of a plan have their files next to the plan, and may share a source', async () => {
    const plan = steps(
      'ä b: { source: ./o.csv, mapping: o.yaml }',
      'other: { source: o.csv, mapping: o.yaml, results: other.ndjson, preview: "-" }',
      'shipped: { source: g.csv, mapping: preset:linkedin }',
    )
    const files = { 'g.csv': 'First Name,Last Name,Email Address,Company,Position,Connected On,URL\n' }
    const { steps: found } = await open(plan, { files, flags: { dryRun: true } })
    const names = (path: string | undefined) => path?.replace(/.*rowlift-test-[^/]*\//, '@')
    expect(found.map(({ results }) => names(results))).toEqual([
      ...['@ä b.results.ndjson', '@other.ndjson', '@shipped.results.ndjson'],
    ])
    expect(found.map(({ settings }) => names(settings.mapping))).toEqual([
      '@o.yaml',
      '@o.yaml',
      'preset:linkedin',
    ])
    expect(found[0]?.sources.map(names)).toEqual(['@o.csv'])
    expect(found[1]?.settings.preview).toBe('-')
  })
})

const yaml: readonly (readonly [what: string, plan: string, ...faults: string[]])[] = [
  ['that is no YAML', 'steps: [', expect.stringMatching(/^plan\.yaml:1:9: /)],
  ['that is a list', '- a', expect.stringContaining('plan.yaml:1:1: a plan holds steps:')],
  ['that is empty', '', expect.stringContaining('plan.yaml:1:1: a plan holds steps:')],
  ['without steps', service, expect.stringContaining('steps: must hold at least one step by its name')],
  [
    'with no step',
    `${service}steps: {}\n`,
    expect.stringContaining('plan.yaml:3:8: steps: must hold at least one'),
  ],
  [
    'with a hundred and one steps',
    steps(
      ...Array.from(
        { length: 101 },
        (_, at) => `s${at}: { source: o.csv, mapping: o.yaml, needs: s${(at + 1) % 101} }`,
      ),
    ),
    expect.stringMatching(/^plan\.yaml:\d+:\d+: steps: must hold at most 100 steps/),
  ],
  [
    'with unknown keys',
    `concurency: 3\n${steps('people: { source: p.csv, mappin: p.yaml, log-level: info }')}`,
    'plan.yaml:1:1: unknown key "concurency"; did you mean "concurrency"?',
    'plan.yaml:5:11: mapping: must be the path of a file',
    'plan.yaml:5:28: unknown key "mappin"; did you mean "mapping"?',
    expect.stringContaining('plan.yaml:5:44: unknown key "log-level"'),
  ],
  [
    'with wrong values',
    `rate: fast\n${steps('people: { source: [], mapping: true, timeout: 0 }', 'tasks: none')}`,
    'plan.yaml:1:7: rate: must be a number above 0',
    'plan.yaml:5:21: source: must be the path of a file, or a list of them',
    'plan.yaml:5:34: mapping: must be the path of a file',
    'plan.yaml:5:49: timeout: must be above 0',
    expect.stringContaining('plan.yaml:6:10: tasks: a step holds source, mapping and options'),
  ],
  [
    'with a rule for answers that is none',
    `responses: [{ satus: 500, means: refused }]\n${steps(organizations)}`,
    expect.stringContaining('plan.yaml:1:13: item 1 of responses: needs status or body'),
    expect.stringContaining('plan.yaml:1:15: unknown key "satus"; did you mean "status"?'),
  ],
  [
    'with steps that files cannot be called after',
    steps('../o: { source: o.csv, mapping: o.yaml }', '"7": { source: o.csv, mapping: o.yaml }'),
    expect.stringContaining('plan.yaml:4:3: "../o" cannot name a step'),
    expect.stringContaining('plan.yaml:5:3: "7" cannot name a step'),
  ],
  [
    'with streams for files',
    steps('people: { source: [p.csv, "-"], mapping: p.yaml, results: "-" }'),
    expect.stringContaining('plan.yaml:4:29: standard input cannot be a source of a plan'),
    expect.stringContaining('plan.yaml:4:61: standard output cannot be a result log of a plan'),
  ],
  [
    'with needs that there are not',
    steps(organizations, 'people: { source: p.csv, mapping: p.yaml, needs: [organisations, people] }'),
    'plan.yaml:5:53: the plan has no step "organisations"; did you mean "organizations"?',
    'plan.yaml:5:68: the step "people" cannot need itself',
  ],
  [
    'with one need that there is not',
    steps(organizations, 'people: { source: p.csv, mapping: p.yaml, needs: tsks }'),
    'plan.yaml:5:52: the plan has no step "tsks"; its steps are organizations, people',
  ],
  [
    'with two steps that have one log',
    steps(
      organizations,
      'others: { source: o.csv, mapping: o.yaml, results: ./organizations.results.ndjson }',
    ),
    expect.stringContaining('plan.yaml:5:54: the step "organizations" has the same result log'),
  ],
  [
    'whose steps wait for each other',
    steps(
      'alone: { source: o.csv, mapping: o.yaml }',
      people,
      'organizations: { source: o.csv, mapping: o.yaml, needs: [tasks] }',
      tasks,
    ),
    'plan.yaml:5:3: the steps wait for each other: people needs organizations needs tasks needs people',
  ],
  [
    'with a step that is said twice',
    steps(organizations, organizations),
    expect.stringMatching(/^plan\.yaml:5:3: .*unique/),
  ],
]

describe('plan', () => {
  it.each(yaml)(
    'a fault of a plan is reported with file, line and column: %s',
    async (_, plan, ...faults) => {
      expect(await faultsIn(plan)).toEqual(faults)
    },
  )

  it('a plan whose mappings name themselves or no step is reported with its place', async () => {
    const naming = (step: string) => ({
      files: { 'p.yaml': migrationFiles['p.yaml'].replace('step: organizations', `step: ${step}`) },
    })
    expect(await faultsIn(steps(organizations, people), naming('organizatoins'))).toEqual([
      'p.yaml:4:35: the plan has no step "organizatoins"; did you mean "organizations"?',
    ])
    expect(await faultsIn(steps(people), naming('people'))).toEqual([
      expect.stringContaining('p.yaml:4:35: this is the step "people" itself'),
    ])
    const ownLog = { files: { 'p.yaml': migrationFiles['t.yaml'] } }
    expect(await faultsIn(steps(people), ownLog)).toEqual([
      expect.stringContaining('p.yaml:4:31: this is the step "people" itself'),
    ])
  })

  const later: [what: string, asked: Asked, fault: unknown, plan?: string][] = [
    [
      'a mapping that is not there',
      {},
      expect.stringContaining('gone.yaml: there is no such mapping file'),
      steps(organizations, 'people: { source: p.csv, mapping: gone.yaml }'),
    ],
    [
      'a mapping with a fault',
      { files: { 't.yaml': 'record: tsk\nbody: {}\n' } },
      expect.stringMatching(/^t\.yaml:1:9: record/),
    ],
    [
      'a header that does not fit',
      { files: { 't.csv': 'Id,Nam,Who\n' } },
      expect.stringContaining('unknown column "Name"; did you mean "Nam"? (the header of t.csv'),
    ],
    [
      'a lookup that is neither a step nor there',
      { files: { 't.yaml': migrationFiles['t.yaml'].replace('people.results', 'peple.results') } },
      expect.stringContaining('peple.results.ndjson: there is no such result log'),
    ],
    [
      'a source that is the log of another',
      { files: { 'people.results.ndjson': 'Name\n' } },
      expect.stringContaining('people.results.ndjson: '),
      steps(people, 'organizations: { source: people.results.ndjson, format: csv, mapping: o.yaml }'),
    ],
    [
      'one preview for two',
      { flags: { dryRun: true } },
      expect.stringContaining(
        'fates.ndjson: is the preview of the step organizations; give the preview of the step others another name',
      ),
      steps(
        'organizations: { source: o.csv, mapping: o.yaml, preview: fates.ndjson }',
        'others: { source: o.csv, mapping: o.yaml, preview: ./fates.ndjson }',
      ),
    ],
    [
      'one file of rejected rows for two',
      {},
      expect.stringContaining(
        'bad.csv: is the file of rejected rows of the step organizations; give the file of rejected rows of the step others another name',
      ),
      steps(
        'organizations: { source: o.csv, mapping: o.yaml, rejects: bad.csv }',
        'others: { source: o.csv, mapping: o.yaml, rejects: ./bad.csv }',
      ),
    ],
    [
      'a log that another service has',
      {
        files: {
          'tasks.results.ndjson': `${withChecksum(JSON.stringify({ run: 'r', rowlift: '0', base_url: 'http://127.0.0.1:8', organization_id: 7, record: 'task', key_columns: ['Id'] }))}\n`,
        },
      },
      expect.stringContaining('tasks.results.ndjson: belongs to an import with another base URL'),
    ],
    ['no token', { environment: { ROWLIFT_TOKEN: '' } }, expect.stringContaining('no token')],
    [
      'use_created for tasks',
      { flags: { useCreated: true } },
      expect.stringContaining('--use-created does not work for record: task of t.yaml'),
    ],
    [
      'a source next to it',
      { sources: ['p.csv'], flags: { results: 'r', delimiter: ';' } },
      'p.csv, --results, --delimiter: is set in the plan, for each step; remove it here',
    ],
    [
      'a variable of a step',
      { environment: { ROWLIFT_MAPPING: 'm.yaml' } },
      'ROWLIFT_MAPPING: is set in the plan, for each step; remove it here',
    ],
  ]

  const all = steps(organizations, people, tasks)
  it.each(later.map(([what, asked, fault, plan = all]) => [what, asked, fault, plan] as const))(
    'a plan is refused before anything is sent for %s in its last step, or for all',
    async (_, asked, fault, plan) => {
      expect(await faultsIn(plan, asked)).toEqual([fault])
    },
  )

  it('a plan is refused for a source that is a pipe, which could be read but once', async () => {
    const folder = await folderWith({
      ...migrationFiles,
      'plan.yaml': steps(organizations, people.replace('p.csv', 'pipe')),
    })
    execFileSync('mkfifo', [join(folder, 'pipe')])
    await expect(openIn(folder)).rejects.toThrow(/pipe: is not a regular file/)
  })

  it('a plan is refused for a result log that cannot be made, before another step has begun', async () => {
    const plan = steps(organizations, people.replace('mapping', 'results: gone/log.ndjson, mapping'))
    await expect(open(plan)).rejects.toThrow(/gone\/log\.ndjson: the result log cannot be written \(ENOENT\)/)
  })

  it('a plan may be JSON, and a key without a value says nothing', async () => {
    const folder = await folderWith(migrationFiles)
    await writeFile(
      join(folder, 'plan.yaml'),
      JSON.stringify({ steps: { people: { source: 'o.csv', mapping: 'o.yaml', rate: null } } }),
    )
    const { steps: found } = await openIn(folder, { flags: { dryRun: true } })
    expect(found[0]?.settings.rate).toBeUndefined()
  })
})
