import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { describe, expect, it } from 'vitest'
import { pollOptions } from '../../support/polling.ts'
import { deckOf, isLong, type Random, randomFor, seed } from '../../support/random.ts'
import { importWithRejects, recordsIn } from '../../support/rejects-file.ts'
import { linesOf, rowlift } from '../../support/rowlift.ts'
import type { Reaction } from '../../support/service.ts'

/** A thing in the world, and how its row reads in the export. */
interface Thing {
  readonly tag: string
  /** What a person who knows it writes. */
  readonly email: string
  exported: { name: string; email: string }
  /** Whether it may be fixed in the export as well: where its rows are named by content it is another row there. */
  readonly isMendable: boolean
}

const mapping = (key: string) =>
  `record: contact\n${key}body:\n  name: { from: Name, required: true }\n  emails: [{ email: { from: Email, as: email, required: true } }]\n`

/** What can be wrong with a row in the export. */
const ills: readonly ((tag: string, email: string) => { name: string; email: string })[] = [
  (tag, email) => ({ name: `Row ${tag}`, email }),
  (_, email) => ({ name: '', email }),
  (tag, email) => ({ name: `forbidden ${tag}`, email }),
  tag => ({ name: `forbidden ${tag}`, email: `old.${tag}@example.com` }),
  tag => ({ name: `Row ${tag}`, email: 'n/a' }),
  tag => ({ name: `Row ${tag}`, email: `nope ${tag}` }),
  tag => ({ name: `Row ${tag}`, email: '' }),
]

/** The one whose key is another one when it is repaired, though it might be created as it is. */
const oldKey = 3

/** Whoever exports, repairs and imports, in any order and as often as they like. */
class Story {
  readonly things: Thing[] = []
  /** What the service does at present. */
  readonly weather: { isStrict: boolean; drops: boolean }
  readonly #random: Random
  readonly #isKeyed: boolean
  readonly #import: Awaited<ReturnType<typeof importWithRejects>>
  static async of(name: string, isKeyed: boolean) {
    const weather = { isStrict: true, drops: false }
    const react = (_: number, { body }: { readonly body: Record<string, unknown> }): Reaction => {
      if (weather.isStrict && String(body.name).includes('forbidden'))
        return { answer: 422, body: 'no such word' }
      if (weather.drops && random() < 0.4)
        return { cut: random() < 0.5 ? 'before reading' : 'after creating' }
      return 'create'
    }
    const random = randomFor(name)
    const files = { 'map.yaml': mapping(isKeyed ? 'key: Email\n' : ''), 'a.csv': '', 'bad.csv': '' }
    const made = await importWithRejects(files, ['a.csv'], 'bad.csv', { react })
    return new Story(isKeyed, random, made, weather)
  }

  private constructor(
    isKeyed: boolean,
    random: Random,
    made: Awaited<ReturnType<typeof importWithRejects>>,
    weather: Story['weather'],
  ) {
    this.weather = weather
    this.#isKeyed = isKeyed
    this.#random = random
    this.#import = made
  }

  add(count: number): void {
    for (let added = 0; added < count; added += 1) {
      const tag = `T${this.things.length}`
      const email = `${tag}@example.com`
      const at = this.#random() < 0.5 ? oldKey : Math.floor(this.#random() * ills.length)
      const exported = ills[at]?.(tag, email) ?? { name: '', email }
      const isMendable = this.#isKeyed && at !== oldKey && exported.email !== ''
      const thing = { tag, email, exported, isMendable }
      this.things.push(...(exported.email === '' ? [thing, thing] : [thing])) // two rows that are equal, and no duplicates
    }
  }

  /** Fixes some rows of the export. */
  mendSource(): void {
    for (const thing of this.things)
      if (thing.isMendable && this.#random() < 0.2)
        thing.exported = { name: `Row ${thing.tag}`, email: thing.email }
  }

  /** Mends some rows of a file of rejected rows, and imports it, or the export with it. */
  async repair(text: string, share: number, others: readonly string[] = []): Promise<void> {
    const { cwd, args, bad } = this.#import
    await writeFile(bad, text)
    const [header = [], ...rows] = await recordsIn(bad)
    const mended = rows.map(cells => (this.#random() < share ? this.#mended(cells) : cells))
    await writeFile(join(cwd, 'mended.csv'), stringify([header, ...mended]))
    const sources = ['mended.csv', ...others].sort(() => this.#random() - 0.5)
    await this.#run(args(sources, '--rejects', 'again.csv', '--retries', '0'))
  }

  #mended([name = '', _, tag = '', ...own]: readonly string[]): string[] {
    const thing = this.things.find(each => each.tag === tag)
    const typo = thing?.isMendable || this.#random() < 0.7 ? '' : 'typo.'
    const [, twin = ''] = /#([2-9])$/.exec(own[0] ?? '') ?? []
    const isNameBad = name === '' || name.includes('forbidden') || twin !== ''
    return [isNameBad ? `Row ${twin} ${tag}` : name, `${typo}${twin}${thing?.email}`, tag, ...own]
  }

  /** Imports the export; returns its rejected rows. */
  async export(): Promise<string> {
    const { cwd, args, bad } = this.#import
    const rows = this.things.map(({ tag, exported }) => [exported.name, exported.email, tag])
    await writeFile(join(cwd, 'a.csv'), stringify([['Name', 'Email', 'Tag'], ...rows]))
    await this.#run(args(['a.csv'], '--rejects', 'bad.csv', '--retries', '0'))
    return readFile(bad, 'utf8')
  }

  async #run(args: string[]): Promise<void> {
    const { cwd } = this.#import
    const { exitCode, stderr } = await rowlift(args, { cwd })
    if (exitCode === 2 && stderr.includes('if the rows were edited, add --changed-rows'))
      return this.#run([...args, '--changed-rows'])
    expect([0, 1], stderr).toContain(exitCode)
    this.expectOnce()
  }

  /** A person settles the rows in doubt by what is there. */
  async settleDoubts(): Promise<void> {
    const { cwd, service } = this.#import
    const listed = await rowlift(['resolve', 'results.ndjson'], { cwd })
    for (const { key, body } of linesOf(listed.stdout)) {
      const made = service.made.find(({ name }) => name === body.name)
      const end = made === undefined ? ['--not-created'] : ['--record-id', made.recordId]
      const run = await rowlift(['resolve', 'results.ndjson', '--key', key, ...end], { cwd })
      expect(run.exitCode, run.stderr).toBe(0)
    }
  }

  #countOf({ tag }: Thing): number {
    return this.#import.service.made.filter(({ name }) => name.endsWith(` ${tag}`)).length
  }

  #rowsOf({ tag }: Thing): number {
    return this.things.filter(thing => thing.tag === tag).length
  }

  expectOnce(): void {
    const twice = this.things.filter(thing => this.#countOf(thing) > this.#rowsOf(thing))
    expect(twice, `made twice; seed ${seed}`).toEqual([])
  }

  expectAll(): void {
    const lost = this.things.filter(thing => this.#countOf(thing) < this.#rowsOf(thing))
    expect(lost, `lost; seed ${seed}`).toEqual([])
  }
}

describe('rows that are rejected, repaired and exported again', () => {
  it.each([
    ['with a key', true],
    ['without a key', false],
  ])(
    'rows in any order of repairs have one record each at last, %s',
    async (name, isKeyed) => {
      const story = await Story.of(name, isKeyed)
      const random = randomFor(`${name}: steps`)
      const copies: string[] = []
      const copy = () => (random() < 0.5 ? copies.at(-1) : copies[Math.floor(random() * copies.length)]) ?? ''
      const exporting = async () => copies.push(await story.export())
      const repairing = async () => copies.length > 0 && story.repair(copy(), 0.4)
      const turning = () => Object.assign(story.weather, { isStrict: random() < 0.5, drops: random() < 0.4 })
      const steps: readonly (() => unknown)[] = [
        ...[exporting, exporting, repairing, repairing, turning, turning],
        () => story.add(4),
        async () => {
          await exporting()
          turning()
          await story.repair(copy(), 0.6, ['a.csv'])
        },
        () => story.mendSource(),
        () => story.settleDoubts(),
      ]
      story.add(8)
      const next = deckOf(steps, random)
      for (let step = 0; step < (isLong ? 50 : 20); step += 1) await next()()
      Object.assign(story.weather, { isStrict: true, drops: false })
      await story.settleDoubts()
      await story.repair(await story.export(), 1)
      await story.export()
      story.expectAll()
    },
    pollOptions.timeout * 4,
  )
})
