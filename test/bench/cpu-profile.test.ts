import { describe, expect, it } from 'vitest'
import { microsecondsByShare } from './cpu-profile.ts'
import { stageOf } from './stages.ts'

const home = 'file:///home/ada/rowlift'
const frame = (functionName: string, url = '') => ({ functionName, url })

describe('stack', () => {
  it.each([
    ['read', ['node_modules/csv-parse/lib/api/index.js', 'dist/input/csv.js']],
    ['map', ['node_modules/luxon/src/datetime.js', 'dist/mapping/transforms/date.js']],
    ['journal', ['dist/store/files/results.js', 'dist/api/send.js']],
    ['call', ['node_modules/got/dist/source/core/index.js', 'dist/api/send.js']],
    ['call', ['node_modules/@sindresorhus/is/dist/index.js', 'node_modules/got/dist/source/core/options.js']],
    ['rest', ['node_modules/ulid/dist/node/index.js', 'dist/engine/job-pool.js']],
  ])('a stack belongs to %s by its innermost frame that belongs to a stage', (stage, files) => {
    expect(stageOf(files.map(file => `${home}/${file}`))).toBe(stage)
  })

  it('a stack counts what all stages use for the one that called it', () => {
    const zod = `${home}/node_modules/zod/v4/core/schemas.js`
    expect(stageOf([zod, `${home}/dist/api/response.js`])).toBe('call')
    expect(stageOf([zod, `${home}/dist/records/records.js`, `${home}/dist/mapping/validate.js`])).toBe('map')
    expect(stageOf(['node:internal/crypto/hash', `${home}/dist/mapping/identity.js`])).toBe('map')
    expect(stageOf(['node:fs', `${home}/dist/store/files/durable-file.js`])).toBe('journal')
    expect(stageOf(['node:internal/streams/writable', `${home}/dist/input/csv.js`])).toBe('read')
  })

  it('a stack belongs to the stage that the parts of Node serve if no code of ours called', () => {
    expect(stageOf(['node:buffer', 'node:internal/streams/readable', 'node:net'])).toBe('call')
    expect(stageOf(['node:fs', 'node:internal/fs/streams'])).toBe('read')
    expect(stageOf(['node:internal/fs/promises'])).toBe('journal')
    expect(stageOf(['node:vm', 'node:internal/modules/esm/loader'])).toBe('start')
    expect(stageOf(['node:internal/timers'])).toBe('rest')
    expect(stageOf([])).toBe('rest')
  })
})

describe('profile', () => {
  it('a profile adds the time until the next sample to each share, and none to idling', () => {
    const spent = microsecondsByShare({
      nodes: [
        { id: 1, callFrame: frame('(root)'), children: [2, 3, 4, 5] },
        { id: 2, callFrame: frame('(idle)') },
        { id: 3, callFrame: frame('(garbage collector)') },
        { id: 4, callFrame: frame('(program)') },
        { id: 5, callFrame: frame('post', `${home}/dist/api/send.js`), children: [6] },
        { id: 6, callFrame: frame('stringify'), children: [] },
      ],
      samples: [2, 6, 5, 3, 4],
      timeDeltas: [900, 100, 20, 30, 40],
    })
    expect(Object.fromEntries(spent)).toEqual({ call: 50, garbage: 40, native: 0 })
  })
})
