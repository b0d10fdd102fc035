import { describe, expect, it } from 'vitest'
import { commandHelp, mainHelp } from '../../../src/cli/help.ts'
import { commands } from '../../../src/commands.ts'

const heads = await Promise.all(
  Object.entries(commands).map(async ([name, load]) => [name, await load()] as const),
)
const head = (name: string) => {
  const found = heads.find(([each]) => each === name)?.[1]
  if (found === undefined) throw new Error(`no command ${name}`)
  return found
}
const helpOf = (name: string, all = true) => commandHelp(head(name), all)

describe('help', () => {
  it('help says what stands for the value of an option, and its default', () => {
    const words = helpOf('import').split(/\s+/).join(' ')
    for (const said of [
      '-m, --mapping FILE The',
      '--limit N Send',
      '--max-failures N|N% Stop',
      '--in-doubt hold|resend What',
      '--delivery MODE What to do when a call gets no answer [at-most-once, at-least-once; default: by the mapping]',
      '-c, --concurrency N Most calls in flight, up to 1000 [default: 10]',
      '--encoding NAME Such',
      '--dry-run Read',
    ])
      expect(words).toContain(said)
    expect(helpOf('resolve')).toMatch(/--key KEY .*\n[^-]*--record-id ID .*\n +--not-created {3}/)
  })

  it('help of every option that takes a value has a word for it', () => {
    for (const [name, { options }] of heads)
      for (const line of helpOf(name).match(/^ {2}(-\w, | {4})--.*/gm) ?? []) {
        const [, flag = '', after = ''] = /--([\w-]+)( \S+)? {2}/.exec(line) ?? []
        const option = Object.entries(options).find(
          ([option]) => option.toLowerCase() === flag.replaceAll('-', ''),
        )?.[1]
        expect([name, flag, after !== '']).toEqual([
          name,
          flag,
          option !== undefined && option.kind !== 'flag',
        ])
      }
  })

  it('help has the exit codes of an import there alone', () => {
    for (const [name] of heads)
      expect([name, helpOf(name).includes('every row has its record')]).toEqual([name, name === 'import'])
    expect(helpOf('resolve').split(/\s+/).join(' ')).toContain(
      '2 could not be done as given, 3 the log could not',
    )
  })

  it('help names the file that a command writes -o, in each command that has it', () => {
    const lines = heads.flatMap(([name]) => helpOf(name).match(/^ {2}-o, .*/gm) ?? [])
    expect(lines.length).toBeGreaterThan(2)
    for (const line of lines)
      expect(line).toMatch(/^ {2}-o, --(results|output) FILE +Where the .* is written/)
  })

  it('help fits 80 columns, wherever it is written', async () => {
    const texts = heads.flatMap(([name]) => [helpOf(name), helpOf(name, false)])
    for (const text of [await mainHelp(), ...texts]) {
      const lines = text.split('\n').filter(line => !line.startsWith('More: '))
      expect(lines.filter(line => line.length > 80)).toEqual([])
    }
  })

  it('help of an import has what most runs need on one screen, and says how to see all', () => {
    const text = helpOf('import', false)
    expect(text.split('\n').length).toBeLessThan(60)
    expect(text.match(/^ +(-\w, )?--/gm)?.length).toBeLessThan(20)
    expect(text).toContain('rowlift import --help --all')
    expect(text).not.toContain('--lock-timeout')
    expect(helpOf('import')).toContain('--lock-timeout')
  })
})
