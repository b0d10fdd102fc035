import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Appendable, GroupedAppender } from '../../../src/journal/grouped-appender.ts'

/** A file that notes what is done to it, and whose syncs take a moment. */
function noting(failAt = Number.POSITIVE_INFINITY) {
  const written: string[] = []
  const synced: string[] = []
  const file: Appendable = {
    async appendFile(data) {
      if (written.length + 1 >= failAt) throw new Error('disk full')
      written.push(String(data))
    },
    async datasync() {
      const soFar = written.slice(synced.length)
      await sleep(5)
      synced.push(...soFar)
    },
    async close() {},
  }
  return { file, written, synced }
}

describe('appended lines', () => {
  it('are on disk when their promise resolves', async () => {
    const { file, synced } = noting()
    const lines = new GroupedAppender(file)
    for (const line of ['one', 'two', 'three']) {
      await lines.append(line)
      expect(synced.join('')).toContain(`${line}\n`)
    }
  })

  it('share a sync with all that arrive while another is under way', async () => {
    const { file, written } = noting()
    const lines = new GroupedAppender(file)
    const first = lines.append('first')
    await sleep(1)
    const others = Array.from({ length: 500 }, (_, at) => lines.append(String(at)))
    await Promise.all([first, ...others])
    expect(written).toHaveLength(2)
    expect(written.join('').split('\n')).toHaveLength(502)
  })

  it('keep their order', async () => {
    const { file, written } = noting()
    const lines = new GroupedAppender(file)
    const all = []
    for (let at = 0; at < 50; at += 1) {
      all.push(lines.append(String(at)))
      if (at % 7 === 0) await sleep(2)
    }
    await Promise.all(all)
    expect(written.join('').trim().split('\n').map(Number)).toEqual(Array.from({ length: 50 }, (_, at) => at))
  })

  it('are refused for good once the file could not be written', async () => {
    const { file, written } = noting(2)
    const lines = new GroupedAppender(file)
    await lines.append('kept')
    const together = [lines.append('lost'), lines.append('lost too')]
    expect((await Promise.allSettled(together)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(lines.append('later')).rejects.toThrow('disk full')
    expect(written).toEqual(['kept\n'])
    await lines.close()
  })

  it('are all written before the file is closed', async () => {
    const { file, synced } = noting()
    const lines = new GroupedAppender(file)
    void lines.append('one')
    await sleep(1)
    void lines.append('two')
    await lines.close()
    expect(synced).toEqual(['one\n', 'two\n'])
  })
})
