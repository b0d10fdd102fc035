import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createPage } from '../../src/output/page/page.ts'
import type { PageFacts } from '../../src/result/facts.ts'
import { chromiumArgs, chromiumPath, hasChromium } from '../support/chromium.ts'
import { hostileTexts, withHostileTexts } from '../support/hostile-text.ts'
import { bigLog, dryRun, pageFacts, richLog, smallLog } from '../support/page-facts.ts'

const pages = {
  log: pageFacts(richLog()),
  small: pageFacts(smallLog()),
  'dry run': pageFacts(dryRun()),
  plan: pageFacts(smallLog({ name: 'organizations' }), richLog(), dryRun()),
  hostile: withHostileTexts(pageFacts(richLog(), dryRun({}, withHostileTexts))),
}

describe.skipIf(!hasChromium('the page in a browser'))('the page in a browser', () => {
  let browser: Browser
  let folder: string
  const closings: (() => Promise<void>)[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rowlift-test-'))
    browser = await chromium.launch({ executablePath: chromiumPath, headless: true, args: chromiumArgs })
  })
  afterEach(async () => {
    for (const close of closings.splice(0)) await close()
  })
  afterAll(async () => {
    await browser?.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** The page opened from disk, and all that it complains of or asks for besides itself. */
  async function opened(facts: PageFacts, options: BrowserContextOptions = {}) {
    const file = join(folder, 'page.html')
    await writeFile(file, createPage(facts))
    const url = pathToFileURL(file).href
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      timezoneId: 'Asia/Kolkata',
      ...options,
    })
    closings.push(() => context.close())
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', message => complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
    page.on('dialog', dialog => complaints.push(dialog.message()))
    page.on('request', request => request.url() === url || complaints.push(request.url()))
    await page.goto(url)
    return { page, complaints }
  }

  const colorOf = (page: Page) =>
    page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
  /** By how much the page is wider than the screen. */
  const overflow = (page: Page) =>
    page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  const shownRows = (page: Page) => page.locator('.rows tbody tr:visible')
  const told = (page: Page) => page.locator('output').textContent()

  it.each(Object.entries(pages))(
    'opens from disk without a complaint and asks for nothing, in both schemes and widths: %s',
    async (_, facts) => {
      const { page, complaints } = await opened(facts)
      for (const width of [375, 1280])
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 900 })
          await page.emulateMedia({ colorScheme })
          expect(await overflow(page)).toBe(0)
        }
      await page.evaluate(`document.querySelectorAll('details').forEach(details => { details.open = true })`)
      expect(await overflow(page)).toBe(0)
      expect(complaints).toEqual([])
    },
  )

  it.each(['dry run', 'plan', 'log'] as const)(
    'shows the first problem on the first screen: %s',
    async name => {
      const { page } = await opened(pages[name])
      const [problem] = await page.locator('.reasons li, .doubts tbody tr, .overview td a').all()
      const box = await problem?.boundingBox()
      expect(box?.y ?? 9999).toBeLessThan(name === 'log' ? 850 : 700)
    },
  )

  it('copies a command with its spaces, by a button or from the text', async () => {
    const { page } = await opened(pages.log)
    for (const command of await page.locator('.next .command, .doubts .command').all())
      expect(await command.innerText()).toMatch(/^rowlift (import|resolve) contacts\S+ /)
    const command = page.locator('.next .command').first()
    await command.click()
    expect(await page.evaluate('String(getSelection())')).toMatch(/^rowlift import contacts-2026-11.csv -m /)
    const pasted = async () => {
      await page.getByLabel('Search').fill('')
      await page.getByLabel('Search').press('ControlOrMeta+v')
      return page.getByLabel('Search').inputValue()
    }
    await page.getByRole('button', { name: 'Copy rowlift import' }).click()
    expect(await page.locator('footer [role=status]').textContent()).toBe('Copied')
    expect(await pasted()).toBe(await command.textContent())
    await page.locator('.doubts td .copy').first().press('Enter')
    expect(await pasted()).toMatch(/^rowlift resolve contacts\.results\.ndjson --key \S+ --record-id ID$/)
  })

  it.each(Object.entries(pages))(
    'stacks its tables on a phone, breaks no word of its own and lets nothing scroll sideways: %s',
    async (_, facts) => {
      const { page } = await opened(facts, { viewport: { width: 390, height: 900 } })
      await page.evaluate(`document.querySelectorAll('details').forEach(details => { details.open = true })`)
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 900 })
        expect(await overflow(page)).toBe(0)
        expect(
          await page.evaluate(
            `[...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth).map(box => box.outerHTML.slice(0, 200))`,
          ),
        ).toEqual([])
      }
      expect(await page.locator('thead:visible').count()).toBe(0)
      expect(
        await page.evaluate(`getComputedStyle(document.querySelector('.figures td'), '::before').content`),
      ).toMatch(/^"\w/)
      const lines = `[...document.querySelectorAll('.mark, .figures th, .contents a, .copy')].filter(each => {
        const { height } = each.getBoundingClientRect()
        return height > 2 * parseFloat(getComputedStyle(each).lineHeight) && !each.textContent.includes(' ')
      }).length`
      expect(await page.evaluate(lines)).toBe(0)
    },
  )

  it('says which rows of a table are in sight while it scrolls, also after a search', async () => {
    const { page } = await opened(pages.log)
    const extent = page.locator('.attention .extent')
    await expect.poll(() => extent.textContent()).toMatch(/^1–1\d of 24 in sight$/)
    await page.evaluate(`document.querySelector('.attention .scroll').scrollTo(0, 99_999)`)
    await expect.poll(() => extent.textContent()).toMatch(/^1\d–24 of 24 in sight$/)
    await page.getByLabel('Status').selectOption('in doubt')
    await expect.poll(() => extent.isVisible()).toBe(false)
    expect(await page.locator('.reasons + .extent, .figures .extent:visible').count()).toBe(0)
  })

  it('draws its marks in the colours of the scheme', async () => {
    const { page } = await opened(pages.log, { colorScheme: 'light' })
    const colors = () =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('.figures .mark')].map(mark => {
          const { backgroundColor, borderColor } = getComputedStyle(mark, '::before')
          return backgroundColor === 'rgba(0, 0, 0, 0)' ? borderColor : backgroundColor
        })`,
      )
    const light = await colors()
    expect(new Set(light).size).toBe(light.length)
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const color of await colors()) expect(light).not.toContain(color)
  })

  it('shows times in UTC, and says so', async () => {
    const { page } = await opened(pages.log)
    expect(await page.locator('body').innerText()).toContain('Times are in UTC')
    expect(await page.locator('.terms time').first().textContent()).toBe('21 Nov 2026, 08:12:07')
  })

  it('finds rows by their key, source, message and value, in any letters, and tells how many', async () => {
    const { page } = await opened(pages.log)
    const search = page.getByLabel('Search')
    expect(await told(page)).toBe('24 rows')
    await search.fill('PERSON44@example')
    expect(await told(page)).toBe('1 of 24 rows')
    expect(await shownRows(page).textContent()).toContain('contacts-2026-11.csv:45')
    await search.fill('parent_not_found 422')
    expect(await told(page)).toBe('7 of 24 rows')
    await search.fill('no such thing')
    expect(await told(page)).toBe('0 of 24 rows')
    await search.fill('')
    expect(await shownRows(page).count()).toBe(24)
  })

  it('shows the rows of one status, also by keyboard', async () => {
    const { page } = await opened(pages.log)
    const status = page.getByLabel('Status')
    await status.selectOption('in doubt')
    expect(await told(page)).toBe('3 of 24 rows')
    expect(await shownRows(page).locator('.mark').allTextContents()).toEqual([
      'in doubt',
      'in doubt',
      'in doubt',
    ])
    await status.press('ArrowDown')
    expect(await told(page)).toBe('7 of 24 rows')
    await page.getByLabel('Search').fill('person205')
    expect(await told(page)).toBe('1 of 24 rows')
  })

  it('answers to typing with five thousand rows', async () => {
    const { page } = await opened(pageFacts(bigLog()))
    expect(await told(page)).toBe('5,000 rows')
    await page.getByLabel('Search').pressSequentially('phone')
    expect(await told(page)).toBe('4,000 of 5,000 rows')
    await page.getByLabel('Search').pressSequentially(' 3999 not')
    expect(await shownRows(page).filter({ hasText: 'Phone 3999 is not a phone number' }).count()).toBe(1)
  })

  it('shows the content of rows as plain text', async () => {
    const { page, complaints } = await opened(pages.hostile, { viewport: { width: 375, height: 900 } })
    await page.mouse.move(100, 100)
    for (const button of await page.locator('summary').all()) await button.click()
    await page.getByLabel('Search').first().fill('<img src=x')
    expect(Number((await page.locator('output').first().textContent())?.split(' ')[0])).toBeGreaterThan(0)
    expect(await page.evaluate('globalThis.pwned')).toBeUndefined()
    expect(
      await page
        .locator('img, iframe, object, embed, textarea, svg, [onload], [onerror], [onfocus], [onmouseover]')
        .count(),
    ).toBe(0)
    expect(await page.locator('script').count()).toBe(await page.locator('script[type=module]').count())
    expect(await page.title()).toBe(`${hostileTexts[0]} – rowlift`)
    for (const text of hostileTexts.slice(0, 7))
      expect(await page.locator('bdi', { hasText: text }).count(), text).toBeGreaterThan(0)
    expect(complaints).toEqual([])
  })

  it('is printed light, with all that it has and nothing to press', async () => {
    const { page, complaints } = await opened(pages.log, { colorScheme: 'dark' })
    expect((await page.pdf({ format: 'A4' })).subarray(0, 5).toString()).toBe('%PDF-')
    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize({ width: 680, height: 900 })
    expect(await colorOf(page)).toBe('rgb(253, 253, 251)')
    for (const control of await page.locator('.controls, .copy, .extent, summary, nav').all())
      expect(await control.isVisible()).toBe(false)
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('section')].every(section => section.offsetHeight > 0)`,
      ),
    ).toBe(true)
    expect(await overflow(page)).toBe(0)
    await page.emulateMedia({ media: 'screen' })
    expect(await colorOf(page)).not.toBe('rgb(253, 253, 251)')
    expect(complaints).toEqual([])
  })

  it('can be read where scripts are switched off', async () => {
    const { page } = await opened(pages.log, { javaScriptEnabled: false })
    const text = await page.locator('body').innerText()
    expect(text).toContain('1,180 rows have their record')
    expect(await shownRows(page).count()).toBe(24)
    expect(await page.getByLabel('Search').isVisible()).toBe(false)
    expect(await page.getByRole('button').count()).toBe(0)
    expect(text).toContain('rowlift import contacts-2026-11.csv -m')
  })

  it('names its landmarks, its table and each thing to use', async () => {
    const { page } = await opened(pages.log)
    for (const role of ['banner', 'main', 'contentinfo'] as const)
      expect(await page.getByRole(role).count()).toBe(1)
    expect(await page.getByRole('navigation', { name: 'On this page' }).count()).toBe(1)
    expect(
      await page.getByRole('table', { name: 'All rows without a record' }).getByRole('row').count(),
    ).toBe(25)
    expect(await page.getByRole('combobox', { name: 'Status' }).count()).toBe(1)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
  })
})
