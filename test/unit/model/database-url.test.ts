import { describe, expect, it } from 'vitest'
import { databaseUrl, masked, withoutPassword } from '../../../src/model/secrets.ts'

describe('URL of a database', () => {
  it.each([
    'postgres://db.example.com/rowlift',
    'postgresql://rowlift:p%40ss%2Fword@db.example.com:6432/rowlift?sslmode=require',
    'postgres:///rowlift?host=/var/run/postgresql',
    'postgres://[::1]:5433/rowlift',
  ])('the URL of a database may be %s', url => expect(databaseUrl(url)).toBeDefined())

  it.each([
    ['of another kind', 'mysql://db.example.com/rowlift'],
    ['no URL', 'db.example.com'],
    ['with an escape that is none', 'postgres://u:100%@db.example.com/rowlift'],
    ['with a # in its password, which ends it', 'postgres://u:12#3@db.example.com/rowlift'],
    ['with a / in its password', 'postgres://u:12/3@db.example.com/rowlift'],
    ['with a ? in its password', 'postgres://u:12?3@db.example.com/rowlift'],
  ])('the URL of a database is none that is %s', (_, url) => expect(databaseUrl(url)).toBeUndefined())

  it('the URL of a database has its password masked wherever it comes up, escaped or not', () => {
    const url = 'postgres://u:hunter2%40home@db.example.com/rowlift'
    databaseUrl(url)
    expect(masked(`no hunter2%40home and no hunter2@home in ${url}`)).not.toContain('hunter2')
  })

  it('the URL of a database stands in a command to type again without its password', () => {
    expect(
      ['import', 'a.csv', '--ledger', 'postgres://u:p@h/d', '--ledger=postgres://h/d?user=u&password=p'].map(
        withoutPassword,
      ),
    ).toEqual(['import', 'a.csv', '--ledger', 'postgres://u@h/d', '--ledger=postgres://h/d?user=u'])
  })
})
