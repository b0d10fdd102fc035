import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { errorsPage } from '../../../scripts/errors-page.js'
import { LogError, SourceError, UsageError } from '../../../src/model/errors.ts'
import { problem } from '../../../src/model/problem.ts'
import {
  catalogues,
  describeCode,
  describeError,
  describeProblem,
  describeStop,
  explain,
  libraryDialect,
} from '../../../src/output/words.ts'

describe('a file that another program holds', () => {
  const path = 'r.csv'
  const sentence =
    'r.csv: is open in another program, such as Excel; close it there, then run the same command again'

  it('is told in one sentence, whatever was to be done with it', () => {
    const reason = 'EBUSY'
    expect(describeError(new LogError('cannot_write', { path, reason }))).toBe(sentence)
    expect(describeError(new UsageError('cannot_write_rejects', { path, reason }))).toBe(sentence)
    expect(describeError(new SourceError('source_unreadable', { source: path, reason }))).toBe(sentence)
    expect(describeError(new LogError('cannot_write', { path, reason: 'EIO' }))).toContain('(EIO)')
  })

  it('is told once if it stops a run', () => {
    const source = { code: 'source_unreadable', params: { source: path, reason: 'EBUSY' } } as const
    expect(describeStop({ code: 'source', params: { problem: source } })).toBe(
      'r.csv: is open in another program, such as Excel. Close it there, then run the same command again.',
    )
  })
})

describe('codes', () => {
  const codes = Object.entries(catalogues).flatMap(([group, words]) =>
    Object.keys(words).map(code => [group, code] as const),
  )

  it('codes mean one thing each, whatever they are codes of', () => {
    const names = codes.map(([, code]) => code)
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
    for (const name of names) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
  })

  it('codes are all on their page, which `npm run schema` writes', () => {
    const page = readFileSync(new URL('../../../docs/usage/errors.md', import.meta.url), 'utf8')
    expect(page).toBe(errorsPage(catalogues, explain))
    expect(page).not.toMatch(/undefined|\[object|NaN/)
  })

  it('codes have texts that name only parameters which their function declares', () => {
    const folder = new URL('../../../src/', import.meta.url)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
      /^output.words.*-words\.ts$|^features.[^/\\]+.words\.ts$/.test(file),
    )
    expect(files.length).toBeGreaterThan(15)
    const strays = files.flatMap(file => {
      const source = readFileSync(new URL(file, folder), 'utf8')
      const entries = [...source.matchAll(/^( +)([a-z_]+): (\(.*\n(?:\1[ })].*\n)*)/gm)]
      return entries.flatMap(([, , code, entry = '']) => {
        const aliases = [...entry.matchAll(/[:&] ([A-Z]\w+)[ ,)]/g)].map(([, alias]) => alias)
        const types = aliases.map(alias => new RegExp(`^type ${alias} = [^]*?^}`, 'm').exec(source)?.[0])
        const declared = [entry, ...types].join('\n')
        const named = [...entry.matchAll(/(?<!\$)\{[#@?.]*-?([a-zA-Z]+)[|}]/g)].map(([, name]) => name)
        return named
          .filter(name => !new RegExp(`\\b${name}\\??:|'${name}'`).test(declared))
          .map(name => [code, name])
      })
    })
    expect(strays).toEqual([])
  })
})

describe('sentence', () => {
  it('the sentence of a problem says what is wrong and how to fix it', () => {
    expect(describeProblem(problem('ragged', { cells: 2, columns: 3 }))).toBe(
      'has 2 cells where the header has 3; fix the line, or set source.ragged: pad if short rows are intended',
    )
  })

  it('the sentence of a code leaves out the parameters, and there is none of a code that is not known', () => {
    expect(describeCode('not_date')).toBe('is not a date in the format …')
    expect(describeCode('linked_row_not_created')).toBe(
      'names …, which is …; this row is tried again in the next run',
    )
    expect(describeCode('wrong_type')).toBe('must be …, not …')
    expect(describeCode('of_another_version')).toBeUndefined()
    expect(describeCode('constructor')).toBeUndefined()
  })

  it('the sentence of an error names options as the command or as the library does', () => {
    const error = new UsageError('preview_without_dry_run')
    expect(describeError(error)).toBe('--preview needs --dry-run')
    expect(describeError(error, libraryDialect)).toBe('preview needs dryRun')
    expect(describeError(new Error('another one'))).toContain('a defect in rowlift: Error: another one\n')
  })

  it('the sentence of a stop says what to do in a sentence of its own', () => {
    expect(describeStop({ code: 'signal', params: { signal: 'SIGINT' } })).toBe(
      'interrupted by SIGINT. Run the same command again to go on.',
    )
    expect(describeStop({ code: 'reader_gone', params: {} })).toBe('standard output was closed')
  })
})
