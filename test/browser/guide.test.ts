import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumArgs, chromiumPath, hasChromium } from '../support/chromium.ts'
import { lookAt, openedIn } from '../support/guide-browser.ts'
import { folderWith } from '../support/rowlift.ts'

const patient = { timeout: 10_000 }
const steps = ['File', 'What is it?', 'Columns', 'Questions']

/** A file as people have them: a title, a total, names with umlauts, numbers without a country, and columns that say nothing. */
const contacts = [
  'Kundenliste;;;;;',
  'Kundennr.;Vorname;Nachname;E-Mail;Telefon;Zusatzfeld zur abweichenden Rechnungsanschrift',
  '1001;Jörg;Köhler;joerg@mueller.example;030 1234567;A',
  '1002;Anna;Weiß;anna@weiss.example;0171/5551234;B',
  '1003;Sören;Groß;soeren@gross.example;+49 40 998877;A',
  'Summe;3;;;;',
].join('\n')

describe.skipIf(!hasChromium('the guide in a browser'))('the guide in a browser', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath, headless: true, args: chromiumArgs })
  })
  afterAll(() => browser?.close())

  /** The guide of a file of contacts, in a browser that speaks English. */
  async function opened(options: BrowserContextOptions = {}) {
    const folder = await folderWith({ 'contacts.csv': contacts })
    const opened = await openedIn(browser, folder, ['contacts.csv'], options)
    const mapping = join(folder, 'contacts.yaml')
    return { ...opened, mapping, read: () => readFile(mapping, 'utf8') }
  }

  const goTo = async (page: Page, step: string) => {
    await page.getByRole('navigation').getByRole('button', { name: step }).click()
    await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor({ state: 'detached' })
  }
  const field = (page: Page, column: string) => page.getByRole('button', { name: `Field of ${column}` })
  /** Opens the dialog with the fields of a column by the keyboard, and types into it. */
  async function find(page: Page, column: string, words: string) {
    await field(page, column).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox').waitFor()
    await page.keyboard.type(words)
    return page.getByRole('dialog', { name: `Field of ${column}` })
  }

  it.each(steps)(
    'has no fault that axe knows of, in both schemes and from narrow to wide, and nothing hangs over: %s',
    async step => {
      const { page, complaints } = await opened({ bypassCSP: true }) // for axe alone
      await goTo(page, step)
      if (step === 'Columns') await page.getByRole('button', { name: 'Mapping' }).click()
      const look = async (what: string) => {
        for (const width of [360, 640, 1280, 1920])
          for (const colorScheme of ['light', 'dark'] as const)
            expect(await lookAt(page, width, colorScheme), `${what}, ${width}, ${colorScheme}`).toEqual({
              hangsOver: false,
              violations: [],
            })
      }
      await look(step)
      if (step !== 'Columns') return expect(complaints).toEqual([])
      await find(page, 'E-Mail', 'e')
      await look('fields')
      expect(complaints).toEqual([])
    },
  )

  it('a column gets its field by the keyboard alone, and the focus stays', async () => {
    const { page, read, complaints } = await opened()
    await goTo(page, 'Columns')
    const button = field(page, 'Zusatzfeld')
    await find(page, 'Zusatzfeld', 'DESCRIPTION')
    await page.keyboard.press('Enter')
    await expect.poll(read, patient).toContain('description: { from: Zusatzfeld zur abweichenden')
    expect(await button.evaluate('document.activeElement.getAttribute("aria-label")')).toContain('Zusatzfeld')
    await expect.poll(() => button.innerText(), patient).toBe('Description')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => button.innerText(), patient).toBe('open')
    expect(await read()).not.toContain('description: { from: Zusatzfeld')
    expect(complaints).toEqual([])
  })

  it('fields are found by typing, walked through by arrows, chosen by Enter and left by Escape', async () => {
    const { page } = await opened()
    await goTo(page, 'Columns')
    const button = field(page, 'Zusatzfeld')
    const dialog = await find(page, 'Zusatzfeld', 'not')
    const checked = dialog.getByRole('radio', { checked: true })
    const nameOf = async () => (await checked.locator('..').locator('strong').innerText()).trim()
    expect(await nameOf()).toBe('Do not import')
    await checked.focus()
    await page.keyboard.press('ArrowDown')
    expect(await nameOf()).not.toBe('Do not import')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await button.evaluate('document.activeElement.getAttribute("aria-label")')).toContain('Zusatzfeld')
    expect(await button.innerText()).toBe('open')
    await find(page, 'Zusatzfeld', 'do not')
    await page.keyboard.press('Enter')
    await expect.poll(() => button.innerText(), patient).toBe('not imported')
    const step = page.getByRole('navigation').getByRole('button', { name: 'Columns' })
    await expect.poll(() => step.innerText(), patient).toBe('Columns 0 open')
  })

  it('values are shown as they would be while somebody moves through the fields; nothing moves, nothing is saved', async () => {
    const { page, read, complaints } = await opened()
    await goTo(page, 'Columns')
    const topOf = async (target: Locator) => (await target.boundingBox())?.y ?? 0
    const length = async () =>
      (await topOf(page.locator('button.next'))) - (await topOf(page.getByRole('heading', { level: 1 })))
    const [text, before] = [await read(), await length()]
    const dialog = await find(page, 'Zusatzfeld', '')
    const values = dialog.getByRole('list', { name: 'Values of Zusatzfeld' })
    const [values0, list0] = [await values.boundingBox(), await dialog.getByRole('group').boundingBox()]
    await page.keyboard.type('descr')
    await values.getByText('→ A').waitFor(patient)
    expect([await values.boundingBox(), await dialog.getByRole('group').boundingBox()]).toEqual([
      values0,
      list0,
    ])
    await page.keyboard.press('Escape') // empties the search
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect([await read(), await length()]).toEqual([text, before])
    expect(complaints).toEqual([])
  })

  it("an editor's save is shown within a second, and what is being typed stays", async () => {
    const { page, mapping, read } = await opened()
    await goTo(page, 'Columns')
    const dialog = await find(page, 'Zusatzfeld', 'desc')
    await writeFile(mapping, (await read()).replace(/^body:$/m, 'body:\n  designation: { from: Telefon }'))
    const other = page.locator('[aria-label^="Field of Telefon"]')
    await expect.poll(() => other.innerText(), { timeout: 1_500 }).toContain('Position')
    expect(await dialog.getByRole('searchbox').inputValue()).toBe('desc')
    expect(await dialog.getByRole('radio', { checked: true }).count()).toBe(1)
  })

  it('a choice that meets the save of an editor is refused in words, and overwrites nothing', async () => {
    const { page, mapping, read } = await opened()
    await goTo(page, 'Columns')
    const theirs = `# theirs\n${await read()}`
    await page.route('**/api/column', async route => {
      if (!route.request().postDataJSON().preview) await writeFile(mapping, theirs)
      await route.continue()
    })
    const choose = async () => {
      await find(page, 'Zusatzfeld', 'DESCRIPTION')
      await page.keyboard.press('Enter')
    }
    await choose()
    await page.getByText('contacts.yaml was changed elsewhere; nothing was written').waitFor(patient)
    expect(await read()).toBe(theirs)
    await choose()
    await expect.poll(read, patient).toContain('description: { from: Zusatzfeld zur abweichenden')
    expect(await read()).toMatch(/^# theirs/)
  })

  it('the drawer shows the mapping as it is, with the lines that changed last', async () => {
    const { page, mapping, read } = await opened()
    await goTo(page, 'Columns')
    const toggle = page.getByRole('button', { name: 'Mapping' })
    await toggle.click()
    expect(await toggle.getAttribute('aria-expanded')).toBe('true')
    const drawer = page.getByRole('complementary', { name: 'contacts.yaml' })
    await find(page, 'Zusatzfeld', 'DESCRIPTION')
    await page.keyboard.press('Enter')
    await drawer.locator('mark').filter({ hasText: 'description: { from: Zusatzfeld' }).waitFor(patient)
    await writeFile(mapping, `# theirs\n${await read()}`)
    await drawer.getByText('# theirs').waitFor({ timeout: 1_500 })
    expect((await drawer.locator('pre').innerText()).trim()).toBe((await read()).trim())
    await toggle.click()
    expect(await drawer.count()).toBe(0)
  })

  it('a question keeps its place once it is answered, and the step says how many are open', async () => {
    const { page, read } = await opened()
    await goTo(page, 'Questions')
    const before = await page.locator('.card').boundingBox()
    await page.getByRole('button', { name: 'They are', exact: true }).click()
    await page.getByText('No question is open.').waitFor()
    expect(await read()).toContain('country: DE')
    expect(await page.locator('.card').boundingBox()).toEqual(before)
    const step = page.getByRole('navigation').getByRole('button', { name: 'Questions' })
    await expect.poll(() => step.innerText(), patient).toBe('Questions 0 open')
  })

  it('rows that become both records are two imports, and both can be opened', async () => {
    const { page, complaints } = await opened()
    await goTo(page, 'What is it?')
    await page.locator('.card', { hasText: 'Each row becomes' }).getByRole('button').click()
    const files = page.getByRole('navigation', { name: 'Files' }).getByRole('button')
    await expect.poll(() => files.count(), patient).toBe(2)
    await files.nth(1).click()
    await page.getByRole('heading', { level: 1, name: 'What is it? contacts.csv – Tasks' }).waitFor()
    await goTo(page, 'Columns')
    await field(page, 'Vorname').waitFor()
    await goTo(page, 'What is it?')
    await page.locator('.card', { hasText: 'People and companies' }).getByRole('button').click()
    await expect.poll(() => files.count(), patient).toBe(0)
    await page.getByRole('heading', { level: 1, name: /contacts\.csv$/ }).waitFor()
    expect(complaints).toEqual([])
  })

  it('a line is made the header by its row, and the page speaks German where the browser does', async () => {
    const { page, read } = await opened({ locale: 'de-AT' })
    expect(await page.evaluate('document.documentElement.lang')).toBe('de')
    await page.getByRole('row').filter({ hasText: 'joerg@mueller.example' }).click()
    await page.getByText('Zeile 3 ist die Kopfzeile.').waitFor()
    expect(await read()).toMatch(/header:.*1001/)
    await page.getByRole('button', { name: 'Weiter: Was ist es?' }).click()
    await page.getByRole('heading', { level: 1, name: 'Was ist es?' }).waitFor()
  })
})
