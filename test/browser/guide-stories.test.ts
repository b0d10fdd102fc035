import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumArgs, chromiumPath, hasChromium } from '../support/chromium.ts'
import { type Hand, type Player, playedWith, reopened } from '../support/guide-browser.ts'
import {
  addressList,
  board,
  linkedFiles,
  listWithFaults,
  longList,
  taskList,
} from '../support/guide-files.ts'
import { linesOf } from '../support/rowlift.ts'
import { startService } from '../support/service.ts'

const patient = { timeout: 20_000 }
const pictures = fileURLToPath(new URL('../../docs/usage/guide/', import.meta.url))

describe.skipIf(!hasChromium('the stories of the guide'))('the guide, as a person plays it', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath, headless: true, args: chromiumArgs })
    await mkdir(pictures, { recursive: true })
  })
  afterAll(() => browser?.close())

  /** Keeps a picture for the docs, if they are asked for. */
  async function picture({ page }: Player, name: string): Promise<void> {
    const isWide = (page.viewportSize()?.width ?? 0) > 1000
    if (process.env.ROWLIFT_PICTURES && isWide) await page.screenshot({ path: join(pictures, `${name}.png`) })
  }

  const verdict = ({ page }: Player, words: string) =>
    expect.poll(() => page.locator('.verdict').first().innerText(), patient).toContain(words)

  async function check(player: Player, words: string): Promise<void> {
    await player.goTo('Check')
    await player.pressButton('Check all rows')
    await verdict(player, words)
  }

  async function importAll(player: Player, words: string): Promise<void> {
    await player.goTo('Import')
    await player.press(player.page.getByRole('region', { name: 'Progress' }).getByRole('button').first())
    await player.page.getByText('Ended.').first().waitFor(patient)
    await player.goTo('Afterwards')
    await verdict(player, words)
  }

  const hands = ['mouse', 'keyboard'] as const satisfies readonly Hand[]

  it.each(hands)('an address list with a cover, sections and a total, by %s', async hand => {
    const player = await playedWith(browser, { 'adressen.xlsx': addressList() }, { hand })
    const { page, complaints, created } = player
    await page
      .getByRole('row', { name: /Kundennr/ })
      .first()
      .waitFor(patient)
    await picture(player, 'file')
    await player.goTo('Columns')
    await page.getByRole('button', { name: 'Field of E-Mail' }).waitFor(patient)
    await picture(player, 'columns')
    await player.goTo('Questions')
    await page.getByText('Are these of Germany').waitFor(patient)
    await picture(player, 'questions')
    await player.pressButton('Leave them out')
    await player.pressButton('They are')
    await page.getByText('No question is open').waitFor(patient)
    await check(player, '12 people can be imported. 3 rows are left out.')
    await picture(player, 'check')
    await player.goTo('Try five')
    await player.pressButton('Send five rows')
    await expect.poll(() => page.locator('.cards .card').count(), patient).toBe(5)
    await picture(player, 'try')
    await importAll(player, '12 rows have their record.')
    const names = (await created('adressen.practice.results.ndjson')).map(({ key }) => key)
    expect([names.length, new Set(names).size]).toEqual([12, 12])
    expect(complaints).toEqual([])
  })

  it.each(hands)('tasks with people, whose words become those of the service, by %s', async hand => {
    const player = await playedWith(browser, { 'tasks.csv': taskList }, { hand })
    const { page, complaints, read, created } = player
    await player.goTo('Columns')
    await player.choose('Assigned To', 'do not')
    await expect.poll(() => read('tasks.yaml'), patient).toContain('Assigned To')
    await player.goTo('Questions')
    await answerAll(player)
    await check(player, 'tasks can be imported.')
    await importAll(player, 'rows have their record')
    expect((await created('tasks.practice.results.ndjson')).length).toBeGreaterThan(20)
    expect([await page.title(), complaints]).toEqual(['Afterwards – tasks.csv', []])
  })

  it.each(hands)('three files that name each other, by %s', async hand => {
    const player = await playedWith(browser, linkedFiles, { hand })
    const { page, complaints, created } = player
    for (const [file, records] of [
      ['companies.csv', 2],
      ['people.csv', 3],
      ['todos.csv', 2],
    ] as const) {
      await player.press(page.getByRole('navigation').getByRole('button', { name: file }))
      await player.goTo('Questions')
      await answerAll(player)
      await check(player, 'can be imported.')
      await importAll(player, `${records} rows have their record.`)
      expect((await created(file.replace('.csv', '.practice.results.ndjson'))).length).toBe(records)
    }
    expect(complaints).toEqual([])
  })

  it.each(hands)('a board with lists and cards, by %s', async hand => {
    const player = await playedWith(browser, { 'board.json': board }, { hand })
    const { page, complaints, created } = player
    await player.goTo('Questions')
    await player.pressButton('cards')
    await page.getByText('No question is open').waitFor(patient)
    await check(player, '9 tasks can be imported.')
    await importAll(player, '9 rows have their record.')
    expect((await created('board.practice.results.ndjson')).length).toBe(9)
    expect(complaints).toEqual([])
  })

  it.each(hands)('an import that is killed, and goes on, by %s', async hand => {
    const service = await startService({ latencyMs: 40 })
    const player = await playedWith(browser, { 'long.csv': longList }, { hand })
    const { page } = player
    await connect(player, service.url)
    await player.goTo('Questions')
    await answerAll(player)
    await check(player, '300 people can be imported.')
    await agree(player)
    await player.press(page.getByRole('region', { name: 'Progress' }).getByRole('button').first())
    await expect.poll(() => service.calls.length, patient).toBeGreaterThan(50)
    await picture(player, 'run')
    player.running.process.kill('SIGKILL')
    await player.running.ended
    await service.settled()
    const again = await reopened(browser, player.cwd, ['long.csv'], { hand })
    await connect(again, service.url)
    await again.goTo('Import')
    await again.press(again.page.getByRole('region', { name: 'Progress' }).getByRole('button').first())
    await again.page.getByText('Ended.').first().waitFor(patient)
    await again.goTo('Afterwards')
    await again.page
      .getByText(/in doubt/)
      .first()
      .waitFor(patient)
    await picture(again, 'after')
    const names = service.made.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const lines = linesOf(await again.read('long.results.ndjson'))
    const keysOf = (status: string) => lines.flatMap(line => (line.status === status ? line.key : []))
    const [created, doubts] = [keysOf('created'), keysOf('in_doubt')]
    expect(new Set([...created, ...doubts]).size).toBe(300) // a call that the kill cut off may have made none
    expect(names.length - created.length).toBeLessThanOrEqual(doubts.length)
  })

  it.each(hands)('rows that are refused, corrected and sent, by %s', async hand => {
    const player = await playedWith(browser, { 'list.csv': listWithFaults }, { hand })
    const { page, complaints, read } = player
    await player.goTo('Questions')
    await answerAll(player)
    await check(player, '3 rows are refused.')
    await player.pressButton(/^Refused 3/)
    for (const name of ['Bea Stone', 'Flo Fox', 'Jo Lee']) {
      await player.openFirstRow()
      await player.type(/^Name/, name)
      await player.press(page.getByRole('dialog').getByRole('button', { name: 'Save the correction' }))
      await page.getByText('The row is good now').waitFor(patient)
      await player.press(page.getByRole('dialog').getByRole('button', { name: 'Close' }))
    }
    await importAll(player, '10 rows have their record.')
    expect(await read('list.csv')).toBe(listWithFaults)
    expect(await read('list.csv.corrected.csv').catch(() => read('list.corrected.csv'))).toContain(
      'Bea Stone',
    )
    expect(complaints).toEqual([])
  })

  /** Takes the first answer of each question, until none is open. */
  async function answerAll({ page, press }: Player): Promise<void> {
    const open = page.locator('.card:not(.done)').filter({ has: page.locator('.choice') })
    await page.getByText(/question.* open/).waitFor(patient)
    for (let left = await open.count(); left > 0; left = await open.count()) {
      await press(open.first().getByRole('button').first())
      await expect.poll(() => open.count(), patient).toBeLessThan(left)
    }
  }

  /** Leaves practice for a service. */
  async function connect(player: Player, url: string): Promise<void> {
    const { page } = player
    await player.pressButton('Change')
    await player.take(page.getByRole('radio', { name: 'The service below' }))
    await player.type('Address of the service', url)
    await player.type('Number of the organization', '42')
    await player.type('Token', 'a-secret-token')
    await player.press(page.getByRole('dialog').getByRole('button', { name: 'Save' }))
    await player.press(page.getByRole('dialog').getByRole('button', { name: 'Close' }))
    await page
      .getByText(/organization 42 of/)
      .first()
      .waitFor(patient)
  }

  async function agree(player: Player): Promise<void> {
    await player.goTo('Import')
    await player.type('Name of the second person', 'Bea Stone')
    await player.pressButton('Agree')
    await player.page.getByText('Bea Stone agreed').waitFor(patient)
  }
})
