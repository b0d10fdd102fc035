import { describe, expect, it } from 'vitest'
import { commands } from '../../../src/cli/commands/commands.ts'
import { commandHelp } from '../../../src/cli/help.ts'

const helpOf = (name: keyof typeof commands) => {
  const command = commands[name]
  if (command === undefined) throw new Error(`no command ${name}`)
  return commandHelp(command, 110)
}

describe('help', () => {
  it('says what stands for the value of an option, and its default', () => {
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
    expect(helpOf('resolve')).toMatch(/--key KEY .*\n +--record-id ID .*\n +--not-created {3}/)
  })

  it('of every option that takes a value has a word for it', () => {
    for (const [name, { options }] of Object.entries(commands))
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

  it('has the exit codes of an import there alone', () => {
    for (const name of Object.keys(commands))
      expect([name, helpOf(name).includes('every row has its record')]).toEqual([name, name === 'import'])
    expect(helpOf('resolve')).toContain('2 could not be done as given, 3 the log could not')
  })

  it('names the file that a command writes -o, in each command that has it', () => {
    const lines = Object.keys(commands).flatMap(name => helpOf(name).match(/^ {2}-o, .*/gm) ?? [])
    expect(lines.length).toBeGreaterThan(2)
    for (const line of lines)
      expect(line).toMatch(/^ {2}-o, --(results|output) FILE +Where the .* is written/)
  })
})
