import { link, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { withChecksum } from '../../../../src/store/files/checksum.ts'
import {
  begin,
  call,
  end,
  type Files,
  filesOf,
  knownIn,
  newResults,
  repaired,
  sampleFiles,
  sampleRows,
  writeFiles,
} from '../../../support/damaged-logs.ts'
import { isLong } from '../../../support/random.ts'

const { finished, killed } = await sampleFiles()
const last = killed.at(-1) as Required<Files> & { readonly inFlight: Buffer }

/** After each step, the rows of calls that no later line of the result log shows to have been on disk. */
const unnamedAfter = [[2, 6], [], [7], [], [8], [8, 4]]
/** The step of which the result log names the intent log. */
const named = [-1, 0, 0, 2, 2, 2]
const numbers: readonly number[] = Object.values(sampleRows)

/** BYTES=1 tries every place. */
const step = Number(process.env.BYTES ?? (isLong ? 7 : 127))
const places = (length: number, from = 0) =>
  Array.from({ length: Math.ceil((length - from) / step) }, (_, at) => from + at * step)

/**
 * Reads damaged files as the next run does, and again after a repair. No row that has its record, or may have it, is unknown then, unless the log
 * says that lines are missing. Returns whether the damage was noticed.
 */
async function tried(
  results: string,
  files: Files,
  truth: readonly unknown[],
  name: string,
  unnamed: readonly number[] = [4, 8],
): Promise<boolean> {
  await writeFiles(results, files)
  const check = (rows: readonly unknown[], isNoticed: boolean) => {
    for (const [at, row] of rows.entries())
      if (truth[at] === 'settled' || truth[at] === 'in_doubt')
        expect(
          row === 'settled' || row === 'in_doubt' || (!isNoticed && unnamed.includes(numbers[at] ?? 0)),
          `${name}: row ${at} is ${row}`,
        ).toBe(true)
  }
  const known = await knownIn(results).catch(() => undefined)
  if (known !== undefined) {
    check(known.rows, false)
    return false
  }
  const isMended = await repaired(results).then(
    () => true,
    error => {
      expect(['not_a_log', 'log_gone'], name).toContain(error.code)
      return false
    },
  )
  if (isMended) {
    const after = await knownIn(results)
    if (!after.isLost) check(after.rows, true)
    expect(await repaired(results), name).toBeUndefined()
  }
  return true
}

const truthOf = async (results: string, files: Files) => {
  await writeFiles(results, files)
  return (await knownIn(results)).rows
}

describe('log that was cut', () => {
  it('a finished log that was cut anywhere is refused', async () => {
    const results = await newResults()
    const truth = await truthOf(results, finished)
    const { log } = finished
    for (const length of [...places(log.length - 1, 1), log.length - 2])
      expect(await tried(results, { ...finished, log: log.subarray(0, length) }, truth, `${length}`)).toBe(
        true,
      )
  })

  it('the log of a killed run that was cut before the last line of a group that its intent log names is refused', async () => {
    const results = await newResults()
    const truth = await truthOf(results, last)
    for (const length of [...places(last.log.length - 1), last.log.length - 2])
      expect(await tried(results, { ...last, log: last.log.subarray(0, length) }, truth, `${length}`)).toBe(
        true,
      )
  })

  it('an intent log that was cut before a group that its result log names is refused', async () => {
    const results = await newResults()
    for (const [at, { log, inFlight = Buffer.of() }] of killed.entries()) {
      const truth = await truthOf(results, { log, inFlight })
      const shortest = killed[named[at] ?? -1]?.inFlight?.length ?? inFlight.indexOf(10) + 1
      for (const length of places(inFlight.length)) {
        const files = { log, inFlight: inFlight.subarray(0, length) }
        const isNoticed = await tried(results, files, truth, `${at}: ${length}`, unnamedAfter[at])
        expect(isNoticed, `${at}: ${length}`).toBe(length < shortest - 1)
      }
    }
  })

  it('an intent log that is gone, or empty, is missed', async () => {
    const results = await newResults()
    for (const { log } of killed)
      for (const inFlight of [undefined, Buffer.of()]) {
        await writeFiles(results, { log, inFlight })
        await expect(knownIn(results)).rejects.toThrow('its last run came to no end')
      }
  })
})

describe('file of another moment', () => {
  it('an older copy of one file is refused, or leaves nothing unknown', async () => {
    const results = await newResults()
    for (const [at, { log, inFlight }] of killed.entries()) {
      const truth = await truthOf(results, { log, inFlight })
      for (const [before, older] of [finished, ...killed].slice(0, at + 1).entries()) {
        const name = `${before} beside ${at}`
        await tried(results, { log: older.log, inFlight }, truth, name, [])
        await tried(results, { log, inFlight: older.inFlight }, truth, name, unnamedAfter[at])
      }
    }
  })
})

describe('changed bytes', () => {
  const changes = [1, 0x80, 'nul', 'line end'] as const

  function changed(text: Buffer, at: number, how: (typeof changes)[number]): Buffer {
    const copy = Buffer.from(text)
    const old = copy[at] ?? 0
    copy[at] = how === 'nul' ? 0 : how === 'line end' ? (old === 10 ? 0x78 : 10) : old ^ how
    return copy
  }

  it.each(changes)(
    'a changed byte of either file is refused, and no row is sent again after a repair: %s',
    async how => {
      const results = await newResults()
      const truth = await truthOf(results, last)
      for (const at of places(last.log.length))
        await tried(results, { ...last, log: changed(last.log, at, how) }, truth, `log ${at}`)
      for (const at of places(last.inFlight.length))
        await tried(results, { ...last, inFlight: changed(last.inFlight, at, how) }, truth, `intents ${at}`)
    },
  )

  it.each([16, 64, 512])('a sector of %i bytes that was lost of either file is refused', async sector => {
    const results = await newResults()
    for (const files of [finished, last]) {
      const truth = await truthOf(results, files)
      const lost = (text: Buffer, at: number) =>
        Buffer.from(text).fill(0, at, Math.min(at + sector, text.length))
      for (const at of places(files.log.length))
        await tried(results, { ...files, log: lost(files.log, at) }, truth, `log ${at}`)
      for (const at of places(files.inFlight?.length ?? 0))
        await tried(
          results,
          { ...files, inFlight: lost(files.inFlight as Buffer, at) },
          truth,
          `intents ${at}`,
        )
    }
  })
})

describe('lines that are missing', () => {
  const linesOf = (text: Buffer) => String(text).split(/(?<=\n)/)
  const without = (text: Buffer, from: number, count: number) =>
    Buffer.from(linesOf(text).toSpliced(from, count).join(''))

  it('one line or several that were taken out are missed', async () => {
    const results = await newResults()
    for (const files of [finished, last]) {
      const truth = await truthOf(results, files)
      const { length } = linesOf(files.log)
      for (let count = 1; count < 4; count += 1)
        for (let from = 0; from + count <= length; from += 1)
          expect(
            await tried(
              results,
              { ...files, log: without(files.log, from, count) },
              truth,
              `${from} ${count}`,
            ),
          ).toBe(true)
    }
  })

  it('lines in another order are refused with their place', async () => {
    const results = await newResults()
    const lines = linesOf(finished.log)
    await writeFile(results, [...lines.slice(0, 2), lines[3], lines[2], ...lines.slice(4)].join(''))
    await expect(knownIn(results)).rejects.toThrow('r.ndjson:3: does not follow from the line before it')
  })

  it('a repair says that lines are missing, and the next run goes on', async () => {
    const results = await newResults()
    await writeFile(results, without(finished.log, 2, 1))
    expect(await repaired(results)).toMatchObject({ moved: [], isLost: true })
    expect(await knownIn(results)).toMatchObject({ isLost: true })
    const journal = await begin(results, 'R3')
    await call(journal, 'fay')
    await end(journal, 'created', 'fay')
    await journal.close({ ended: { rows: 1 } })
    expect(await knownIn(results)).toMatchObject({ run: 'R3', isLost: true })
  })

  it('a repair takes away one damaged line whose seal is right, and nothing is missing', async () => {
    const results = await newResults()
    const damaged = Buffer.from(String(last.log).replace('"key":"eve"', '"key":"oma"'))
    await writeFiles(results, { ...last, log: damaged })
    await expect(knownIn(results)).rejects.toThrow('is not a line of a result log, or is damaged')
    expect(await repaired(results)).toMatchObject({ isLost: false })
    const { rows, isLost } = await knownIn(results)
    expect([rows[4], isLost]).toEqual(['in_doubt', false])
    expect(await readFile(`${results}.damaged`, 'utf8')).toContain('"key":"oma"')
    expect((await stat(`${results}.damaged`)).mode & 0o777).toBe(0o600)
  })

  it('a repair cannot mend a log that is gone', async () => {
    const results = await newResults()
    await writeFiles(results, last)
    await rm(results)
    await expect(repaired(results)).rejects.toMatchObject({ code: 'log_gone' })
  })
})

describe('late line', () => {
  it('a late line of an earlier run counts, also behind the end of the next one', async () => {
    const results = await newResults()
    const asleep = await begin(results, 'R1')
    await call(asleep, 'ada', 'eve')
    const next = await begin(results, 'R2')
    await end(asleep, 'created', 'ada')
    await call(next, 'fay')
    await end(next, 'created', 'fay')
    await next.close({ ended: { rows: 3 } })
    await end(asleep, 'created', 'eve')
    const third = await begin(results, 'R3')
    await third.close({ ended: { rows: 3 } })
    expect((await knownIn(results)).rows.filter(row => row === 'settled')).toHaveLength(3)
    await asleep.close().catch(() => {})
  })
})

describe('log of two versions', () => {
  it('a log of two versions may have doubts without a chain after a killed run with one', async () => {
    const results = await newResults()
    const [opening, ...doubts] = [
      { run: 'R9', rowlift: '0.4.0', record: 'task' },
      { run: 'R2', source: 'tasks.csv', row: 7, key: 'fay', hash: '723456789abcdef0', status: 'in_doubt' },
    ]
    const lines = [opening, ...doubts].map(line => `${withChecksum(JSON.stringify(line))}\n`)
    await writeFiles(results, { log: Buffer.from(last.log + lines.join('')), inFlight: undefined })
    expect((await knownIn(results)).rows[5]).toBe('in_doubt')
    await writeFile(results, last.log + (lines[1] ?? ''))
    await expect(knownIn(results)).rejects.toThrow('does not follow')
  })
})

describe('foreign line in a log', () => {
  it('a foreign line in a log is refused, and moved by a repair', async () => {
    const results = await newResults()
    const half = '{"time":"12:00","message":"backup of r.nd'
    const lines = String(finished.log).split('\n')
    await writeFile(results, lines.toSpliced(3, 0, half).join('\n'))
    await expect(knownIn(results)).rejects.toThrow('r.ndjson:4: is not a line')
    expect((await repaired(results))?.moved.map(String)).toEqual([half])
  })

  it('a line of a newer version is refused, and never repaired', async () => {
    const results = await newResults()
    const line = withChecksum('{"run":"R3","key":"x","status":"archived"}')
    await writeFile(results, `${finished.log}${line}\n`)
    for (const work of [knownIn, repaired])
      await expect(work(results)).rejects.toThrow('has the unknown status "archived"')
  })

  it('a file that is no result log is never repaired', async () => {
    const results = await newResults()
    for (const text of [
      'Name,E-mail\nAda,ada@x.example\n',
      '{"run":1}\n{"key":"a"}\n',
      'PK\0\0\n\0\0\n',
      '{"a":1}',
    ]) {
      await writeFile(results, text)
      for (const work of [knownIn, repaired])
        await expect(work(results)).rejects.toThrow('is not a result log')
      expect(await readFile(results, 'utf8')).toBe(text)
    }
  })
})

it('a log that gets a second name ends the run', async () => {
  const results = await newResults()
  const journal = await begin(results, 'R1')
  await end(journal, 'invalid', 'ada')
  await link(results, `${results}.2`)
  await expect(end(journal, 'invalid', 'eve')).rejects.toThrow('got a second name')
  await journal.close()
  expect((await filesOf(results)).inFlight).toBeDefined()
})
