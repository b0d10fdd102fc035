import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importRows } from '../../../src/index.ts'
import { files } from '../../support/imports.ts'
import { rowlift } from '../../support/rowlift.ts'

const secret = /ch4rles|b4bb|age!/

/** A base URL with a password, or what a slip made of one. */
const withPassword = [
  'https://ch4rles:b4bbage!@api.example.com',
  'http://:b4bbage!@127.0.0.1:9',
  'https://ch4rles:b4bb age!@api.example.com/v2',
  'https://ch4rles:b4bb/age!@api.example.com',
  'https:/ch4rles:b4bb?age!@api.example.com',
  'ch4rles:b4bbage!@api.example.com',
  'https://ch4rles:b4bbage!%40api.example.com',
  'https://api.example.com\\@b4bbage!',
  'ftp://ch4rles:b4bb@example.com',
  'https://ch4rles:b4bbage!',
  'https://api.example.com/?key=b4bb',
  'https://api.example.com/b4bb\n',
  'https://api.exam\tple.com/b4bb',
  '\u0000https://api.example.com/b4bb',
]

/** Each way to give a base URL: its words, files and environment. */
const ways = (url: string) => [
  {
    args: [
      'import',
      '-m',
      'task.yaml',
      'tasks.csv',
      '--base-url',
      url,
      '-o',
      'r.ndjson',
      '--organization-id',
      '7',
    ],
  },
  { args: ['import', '-m', 'task.yaml', 'tasks.csv', '--dry-run'], env: { ROWLIFT_BASE_URL: url } },
  {
    args: ['import', '--config', 'set.yaml', '-m', 'task.yaml', 'tasks.csv', '-o', 'r.ndjson'],
    text: { 'set.yaml': `base-url: ${JSON.stringify(url)}\norganization-id: 7\n` },
  },
  {
    args: ['import', '--plan', 'plan.yaml'],
    text: {
      'plan.yaml': `base-url: ${JSON.stringify(url)}\norganization-id: 7\nsteps:\n  one: { source: tasks.csv, mapping: task.yaml, results: r.ndjson }\n`,
    },
  },
]

it.each(withPassword)(
  'the base URL %s is refused and no part of it is told, however it is given',
  async url => {
    for (const { args, env = {}, text = {} } of ways(url)) {
      const cwd = await files(text as Record<string, string>)
      const before = new Set(await readdir(cwd))
      const told = [
        '--summary',
        'end.json',
        '--report',
        'page.html',
        '--log-format',
        'json',
        '--log-level',
        'trace',
      ]
      const run = await rowlift([...args, ...told], { cwd, env })
      expect([args, run.exitCode, run.stderr]).toEqual([args, 2, expect.stringContaining('--base-url: ')])
      const written = (await readdir(cwd)).filter(name => !before.has(name))
      const texts = await Promise.all(written.map(name => readFile(join(cwd, name), 'utf8')))
      expect(written).toContain('end.json')
      expect([run.stdout, run.stderr, ...texts].join('\n')).not.toMatch(secret)
    }
    const options = { mapping: { record: 'task', body: {} }, rows: [], results: 'r.ndjson', token: 'x' }
    const refusal = await importRows({ ...options, baseUrl: url, organizationId: 7 })
      .summary()
      .catch(error => error)
    expect(`${refusal.code} ${refusal.message} ${JSON.stringify(refusal)}`).not.toMatch(secret)
    expect(refusal.code).toBe('bad_base_url')
  },
)

it.each(['http://ch4rles:b4bb:age!/', 'socks5://ch4rles:b4bb@proxy', 'ch4rles:b4bb age!@pro xy'])(
  'a proxy %s that cannot be used is refused without a word of it',
  async HTTPS_PROXY => {
    const cwd = await files()
    const args = ['import', 'tasks.csv', '-m', 'task.yaml', '-o', 'r.ndjson', '--organization-id', '7']
    const run = await rowlift([...args, '--base-url', 'https://api.example.com'], {
      cwd,
      env: { HTTPS_PROXY },
    })
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('the proxy in HTTPS_PROXY')])
    expect(run.stderr).not.toMatch(secret)
  },
)
