import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { runCli } from '../../../src/cli/cli.ts'
import type { CliContext } from '../../../src/cli/context.ts'
import type { Signal } from '../../../src/platform/signals.ts'
import { silentContext } from '../../support/context.ts'
import { files, importOf, taskNames, tasks } from '../../support/imports.ts'
import { outcomesIn } from '../../support/rowlift.ts'
import { madeBy, startService } from '../../support/service.ts'

/** A context whose words are kept, and which is interrupted by the test. */
function contextIn(cwd: string | undefined) {
  const said = { stdout: '', stderr: '' }
  const exits: number[] = []
  const signals = new Set<(signal: Signal) => void>()
  const uncaught = new Set<(error: unknown) => void>()
  const listen =
    <T>(listeners: Set<(what: T) => void>) =>
    (listener: (what: T) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  const stream = (name: keyof typeof said) =>
    new Writable({
      write(chunk, _encoding, done) {
        said[name] += chunk
        done()
      },
    })
  const context: CliContext = {
    ...silentContext(),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    cwd,
    interrupts: { onSignal: listen(signals), onUncaught: listen(uncaught), exit: code => exits.push(code) },
  }
  return {
    said,
    exits,
    context,
    listeners: () => signals.size + uncaught.size,
    signal: (signal: Signal) => {
      for (const listener of signals) listener(signal)
    },
    defect: (error: unknown) => {
      for (const listener of uncaught) listener(error)
    },
  }
}

describe('command as a function', () => {
  it('the command works in the folder of its context, wherever the process is', async () => {
    const service = await startService()
    const cwd = await files({
      'tasks.csv': tasks(3),
      'settings.yaml': 'rejects: bad.csv\ntoken-file: token\n',
      token: 'x',
    })
    const { context, said } = contextIn(cwd)
    const environment = { ROWLIFT_SUMMARY: 'summary.json', ROWLIFT_CONFIG: 'settings.yaml' }
    const args = importOf('tasks.csv', 'task.yaml', service.url, '--report', 'page.html')
    expect(await runCli(args, { ...context, environment })).toBe(0)
    expect(await runCli(['report', 'results.ndjson'], context)).toBe(0)
    expect(await runCli(['resolve', 'results.ndjson'], context)).toBe(0)
    expect(await runCli(['init', 'tasks.csv', '-o', 'draft.yaml'], context)).toBe(0)
    expect(await runCli(['test', 'preset:asana'], context)).toBe(0)
    expect(
      await runCli(
        ['import', 'tasks.csv', '-m', 'draft.yaml', '--dry-run', '--preview', 'fates.ndjson'],
        context,
      ),
    ).toBe(0)
    const written = [
      'bad.csv',
      'draft.yaml',
      'fates.ndjson',
      'page.html',
      'results.ndjson',
      'results.report.html',
      'summary.json',
    ]
    expect(await readdir(cwd)).toEqual(expect.arrayContaining(written))
    expect(await outcomesIn(join(cwd, 'results.ndjson'))).toHaveLength(3)
    expect(said.stderr).not.toContain('cannot')
  })

  it('the command runs in several folders at once', async () => {
    const service = await startService({ latencyMs: 5 })
    const folders = await Promise.all([2, 3, 4].map(count => files({ 'tasks.csv': tasks(count) })))
    const args = importOf('tasks.csv', 'task.yaml', service.url)
    expect(await Promise.all(folders.map(cwd => runCli(args, contextIn(cwd).context)))).toEqual([0, 0, 0])
    expect(madeBy(service)).toEqual([2, 3, 4].flatMap(taskNames).sort())
  })

  it('the command names files as they were given if no folder is named', async () => {
    const { context, said } = contextIn(undefined)
    expect(await runCli(['import', 'none.csv', '-m', 'config/asana.yaml', '--dry-run'], context)).toBe(2)
    expect(said.stderr).toMatch(/^rowlift: none\.csv: there is no such file/)
  })

  it('the command ends at a signal once the call in flight has its outcome', async () => {
    const cwd = await files()
    const { context, signal, listeners, exits } = contextIn(cwd)
    const service = await startService({
      react: () => {
        signal('SIGTERM')
        return 'create'
      },
    })
    expect(await runCli(importOf('tasks.csv', 'task.yaml', service.url, '-c', '1'), context)).toBe(143)
    expect(await outcomesIn(join(cwd, 'results.ndjson'))).toMatchObject([{ row: 1, status: 'created' }])
    expect({ made: madeBy(service), exits, listeners: listeners() }).toEqual({
      made: taskNames(1),
      exits: [],
      listeners: 0,
    })
  })

  it('the command ends at once at the second signal', async () => {
    const { context, signal, exits, said } = contextIn(await files())
    const service = await startService({
      react: () => {
        signal('SIGINT')
        signal('SIGINT')
        return 'create'
      },
    })
    await runCli(importOf('tasks.csv', 'task.yaml', service.url, '-c', '1'), context)
    expect(exits).toEqual([130])
    expect(said.stderr).toContain('rowlift: ')
  })

  it('the command accounts for the call in flight when an error is caught nowhere', async () => {
    const cwd = await files()
    const { context, defect, said } = contextIn(cwd)
    const service = await startService({
      react: () => {
        defect(new Error('out of the blue'))
        return 'create'
      },
    })
    expect(await runCli(importOf('tasks.csv', 'task.yaml', service.url, '-c', '1'), context)).toBe(70)
    expect(said.stderr).toContain('out of the blue')
    expect(await outcomesIn(join(cwd, 'results.ndjson'))).toMatchObject([{ row: 1, status: 'created' }])
  })

  it('the command never rejects', async () => {
    const broken = {
      ...contextIn(await files()).context,
      get clock(): never {
        throw new Error('no clock')
      },
    }
    expect(await runCli(['import', 'tasks.csv', '-m', 'task.yaml', '--dry-run'], broken)).toBe(70)
  })
})
