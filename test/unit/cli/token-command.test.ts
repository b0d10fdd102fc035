import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { tokenFromCommand } from '../../../src/api/token.ts'
import { systemClock } from '../../../src/model/clock.ts'
import type { UsageError } from '../../../src/model/errors.ts'
import type { RunEvent } from '../../../src/model/events.ts'
import { tempFolder } from '../../support/cleanup.ts'
import { testClock } from '../../support/clock.ts'
import { importing } from '../../support/imports.ts'
import { migrating } from '../../support/migration.ts'
import { linesOf, rowlift } from '../../support/rowlift.ts'

const never = () => new AbortController().signal

/** The token of a command, or the code and parameters of what it is refused with. */
async function tokenOf(command: string, { clock = systemClock, signal = never() } = {}) {
  const events: RunEvent[] = []
  const token = tokenFromCommand(command, { clock, emit: event => events.push(event) })
  const refused = await token.begin(signal).then(
    () => undefined,
    error => (error as UsageError).problem,
  )
  return { token, events, refused }
}

/** An import of two tasks whose token is printed by a script. */
async function withScript(script: string, options = {}, ...more: string[]) {
  const job = await importing(2, options, '--token-command', 'sh get.sh', ...more)
  await writeFile(join(job.cwd, 'get.sh'), script)
  const run = (...words: string[]) => rowlift([...job.args, ...words], { cwd: job.cwd })
  const runs = async () => (await readFile(join(job.cwd, 'runs'), 'utf8').catch(() => '')).length
  return { ...job, run, runs }
}

describe('program of --token-command', () => {
  it.each([
    ['echo its-own', 'its-own'],
    [`printf '%s-%s' "its" 'own'`, 'its-own'],
    ['printf %s C:\\a\\b', 'C:\\a\\b'],
    ['echo $HOME;x|y', '$HOME;x|y'],
    ['printf "%s-%s" its "own', 'its-own'],
    [`  printf "a"'b'c  `, 'abc'],
  ])('the token command is run without a shell, word by word: %s', async (command, expected) => {
    expect((await tokenOf(command)).token.value).toBe(expected)
  })

  it.each([
    ['no-such-program of-mine', { program: 'no-such-program', end: 'ENOENT' }],
    ['/dev/null of-mine', { program: '/dev/null', end: 'EACCES' }],
    ["sh -c 'echo of-mine; exit 3'", { program: 'sh', end: 3 }],
    ["sh -c 'kill -TERM $$'", { program: 'sh', end: 'SIGTERM' }],
    [' ', { program: '', end: 'ERR_INVALID_ARG_VALUE' }],
    ['"" of-mine', { program: '', end: 'ERR_INVALID_ARG_VALUE' }],
  ])('the token command that fails is reported without its arguments: %s', async (command, params) => {
    expect((await tokenOf(command)).refused).toEqual({ code: 'token_command_failed', params })
  })

  it.each([
    ['true', 'empty_token'],
    ["printf ' \\n'", 'empty_token'],
    ["printf 'two\\nlines'", 'bad_token'],
    ["printf 'caf\\303\\251'", 'bad_token'],
  ])('the token command prints no token: %s', async (command, code) => {
    const program = command.split(' ', 1).join()
    expect((await tokenOf(command)).refused).toEqual({ code, params: { file: program } })
  })

  it('the token command gets no input, and what it says is passed on line by line', async () => {
    const { token, events } = await tokenOf("sh -c 'cat; echo one >&2; printf two >&2; echo its-own'")
    expect(token.value).toBe('its-own')
    expect(events).toEqual(['one', 'two'].map(line => ({ type: 'token_command_said', program: 'sh', line })))
  })

  it('the token command is killed after a minute', async () => {
    const clock = testClock()
    const running = tokenOf('sleep 600', { clock })
    await clock.advance(60_000)
    const params = { program: 'sleep', end: 'SIGKILL' }
    expect((await running).refused).toEqual({ code: 'token_command_failed', params })
    expect(clock.timers).toBe(0)
  })

  it('the token command is not waited for once it has ended, if a process that it started keeps its output open', async () => {
    const clock = testClock()
    const running = tokenOf("sh -c 'sleep 60 & echo its-own'", { clock })
    await vi.waitFor(() => expect(clock.timers).toBe(3))
    await clock.advance(1_000)
    expect((await running).token.value).toBe('its-own')
    expect(clock.timers).toBe(0)
  })

  it('the token command is not waited for any longer if another process keeps its output open', async () => {
    const clock = testClock()
    const done = join(await tempFolder(), 'done')
    const running = tokenOf(`sh -c 'sleep 2 & echo its-own; echo > ${done}'`, { clock })
    await vi.waitFor(() => stat(done))
    await clock.advance(60_000)
    expect((await running).token.value).toBe('its-own')
  })

  it('the token command is ended with the run, which needs no token then', async () => {
    const controller = new AbortController()
    const running = tokenOf('sleep 600', { signal: controller.signal })
    controller.abort()
    expect((await running).refused).toBeUndefined()
  })

  it('the token command runs once for all calls whose token is refused at a time', async () => {
    const { token } = await tokenOf("sh -c 'echo $PPID-$$'")
    const first = token.value
    expect(await Promise.all([1, 2, 3].map(() => token.renew(first, never())))).toEqual([true, true, true])
    expect(await token.renew(first, never())).toBe(true)
    expect(token.value).not.toBe(first)
  })
})

describe('import with --token-command', () => {
  it('an import with --token-command sends the token, and never shows it', async () => {
    const { service, run } = await withScript('set -x; echo "unlocking" >&2; echo "a-vaulted-token"')
    const { exitCode, stderr, stdout } = await run()
    expect(exitCode).toBe(0)
    expect(service.calls[0]?.headers.authorization).toBe('Bearer a-vaulted-token')
    expect(linesOf(stderr)).toContainEqual(expect.objectContaining({ msg: 'sh: unlocking' }))
    expect(stderr + stdout).not.toContain('vaulted')
  })

  it('an import with --token-command says why there is no token before the first call', async () => {
    const { service, run, runs, log } = await withScript('printf x >> runs; echo a-vaulted-token; exit 4')
    expect(await run()).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('rowlift: sh: printed no token (exit code 4); try by hand'),
    })
    expect(await stat(log).catch(() => 'none')).toBe('none')
    expect(await run('none.csv')).toMatchObject({ exitCode: 2 })
    expect([await runs(), service.calls]).toEqual([1, []])
  })

  it('an import with --token-command does not run it in a dry run, and takes no token file besides', async () => {
    const { run, runs } = await withScript('printf x >> runs; echo a-vaulted-token')
    expect((await run('--dry-run')).exitCode).toBe(0)
    expect(await run('--token-file', 'none')).toMatchObject({
      exitCode: 2,
      stderr: 'rowlift: give --token-file or --token-command, not both\n',
    })
    expect(await runs()).toBe(0)
  })

  it.each([
    ['another token, and goes on', 'printf x >> runs; echo "a-token-$(wc -c < runs)"', 0, 2],
    ['the same token, and stops', 'printf x >> runs; echo a-token-1', 3, 2],
    ['no token, and stops', 'printf x >> runs; [ $(wc -c < runs) = 1 ] && echo a-token-1', 3, 2],
  ])(
    'an import with --token-command runs it again when the service says 401: it prints %s',
    async (_what, script, exitCode, times) => {
      const react = (_: number, { headers }: { headers: { authorization?: string } }) =>
        headers.authorization === 'Bearer a-token-2' ? ('create' as const) : { answer: 401 }
      const { run, runs } = await withScript(script, { react })
      const { stderr, ...end } = await run()
      expect([end.exitCode, await runs()]).toEqual([exitCode, times])
      expect(stderr.includes('printed no token')).toBe(script.includes('['))
    },
  )

  it('an import with --token-command is ended by a signal, and so is the program', async () => {
    const { args, cwd, service } = await withScript('exec sleep 600')
    const run = await rowlift(args, { cwd, interrupted: Promise.resolve('SIGINT') })
    expect([run.exitCode, service.calls]).toEqual([130, []])
  })

  it('an import with --token-command runs it once for all steps of a plan', async () => {
    const common = 'token-command: sh get.sh\n'
    const { service, run, cwd } = await migrating(
      { 'get.sh': 'printf x >> runs; echo its-own\n' },
      {},
      common,
    )
    expect((await run()).exitCode).toBe(0)
    expect(new Set(service.calls.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer its-own']),
    )
    expect(await readFile(join(cwd, 'runs'), 'utf8')).toBe('x')
  })
})
