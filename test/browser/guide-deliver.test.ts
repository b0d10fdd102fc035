import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumArgs, chromiumPath, hasChromium } from '../support/chromium.ts'
import { lookAt, openedIn } from '../support/guide-browser.ts'
import { folderWith } from '../support/rowlift.ts'

const patient = { timeout: 20_000 }
const views = [
  [360, 'dark'],
  [640, 'light'],
  [1280, 'dark'],
  [1920, 'light'],
] as const
const secret = 'a-token-that-nobody-sees'

/** Contacts of whom the second has no address that can be right. */
const contactsOf = (count: number) =>
  ['First name,Last name,Email']
    .concat(
      Array.from({ length: count }, (_, at) => `Ann,Smith${at},${at === 1 ? 'none' : `a${at}@b.example`}`),
    )
    .join('\n')
    .concat('\n')

/** It refuses what is no address. */
const mapping = `record: contact
body:
  name: { join: [First name, Last name], with: " " }
  record_sub_type: person
  emails: [{ email: { from: Email, as: email } }]
`

describe.skipIf(!hasChromium('the guide from the check on'))(
  'the guide from the check on, in a browser',
  () => {
    let browser: Browser

    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: chromiumPath, headless: true, args: chromiumArgs })
    })
    afterAll(() => browser?.close())

    async function opened(count: number, options: BrowserContextOptions = {}) {
      const folder = await folderWith({ 'contacts.csv': contactsOf(count), 'contacts.yaml': mapping })
      return { folder, ...(await openedIn(browser, folder, ['contacts.csv'], options)) }
    }

    const goTo = (page: Page, step: string) =>
      page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name: step }).click()
    const job = (page: Page) => page.getByRole('region', { name: 'Progress' })
    const ended = (page: Page) => job(page).getByText('Ended.').waitFor(patient)
    const rows = (page: Page) => page.getByRole('region', { name: 'All rows' }).locator('tbody tr')
    const checked = async (page: Page) => {
      await goTo(page, 'Check')
      await page.getByRole('button', { name: 'Check all rows' }).click()
      await ended(page)
      await rows(page).first().waitFor()
    }

    it('has no fault that axe knows of in any step, in both schemes and from narrow to wide, and nothing hangs over', async () => {
      const { page, complaints } = await opened(8, { bypassCSP: true }) // for axe alone
      const look = async (step: string) => {
        for (const [width, colorScheme] of views)
          expect(await lookAt(page, width, colorScheme), `${step}, ${width}, ${colorScheme}`).toEqual({
            hangsOver: false,
            violations: [],
          })
      }
      await checked(page)
      await look('check')
      await rows(page).getByRole('radio').first().press('Enter')
      await page.getByRole('dialog').waitFor()
      await look('row')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Change' }).click()
      await look('service')
      await page.keyboard.press('Escape')
      await goTo(page, 'Try five')
      await page.getByRole('button', { name: 'Send five rows' }).click()
      await page.getByText('Is all of this right?').waitFor(patient)
      await look('try')
      await goTo(page, 'Import')
      await page.getByRole('button', { name: 'Import', exact: true }).last().click()
      await ended(page)
      await look('run')
      await goTo(page, 'Afterwards')
      await page.getByRole('button', { name: 'Open the report' }).waitFor()
      await look('after')
      expect(complaints).toEqual([])
    })

    it('a refused row is corrected by the keyboard alone, and the focus comes back to it', async () => {
      const { page, folder, complaints } = await opened(8)
      await checked(page)
      await page.getByText('7 people can be imported. 1 row is refused.').waitFor()
      await rows(page).getByRole('radio').first().focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      const cell = page.getByRole('dialog').getByRole('textbox', { name: 'Email' })
      expect(await cell.getAttribute('aria-invalid')).toBe('true')
      await cell.fill('ann@b.example')
      await cell.press('Enter')
      await page.getByText('Saved. The row is good now.').waitFor(patient)
      await page.keyboard.press('Escape')
      await page.getByText('8 people can be imported.').waitFor()
      const focused = await page.evaluate('document.activeElement.closest("tr").innerText')
      expect(focused).toMatch(/^2\b.*ann@b\.example/s)
      expect(await readFile(join(folder, 'contacts.csv.corrected.csv'), 'utf8')).toContain('ann@b.example')
      expect(complaints).toEqual([])
    })

    it('a check says that it is not of the mapping as it is now, and filters without rows are off', async () => {
      const { page, folder } = await opened(8)
      await checked(page)
      const filter = (name: string) => page.getByRole('button', { name }).getAttribute('aria-disabled')
      expect([await filter('Refused 1'), await filter('Conflicts 0')]).toEqual(['false', 'true'])
      await page.getByText('The mapping changed since').waitFor({ state: 'detached' })
      const path = join(folder, 'contacts.yaml')
      await writeFile(path, (await readFile(path, 'utf8')).replace('type: person', 'type: company'))
      await page.getByText('The mapping changed since: check again.').waitFor(patient)
      await page.getByRole('button', { name: 'Check all rows' }).click()
      await page.getByText('The mapping changed since').waitFor({ state: 'detached', ...patient })
      await page.getByText('7 people can be imported').waitFor(patient)
    })

    it('windows of 200 rows lead through more rows than a browser has room for, and arrows move in them', async () => {
      const { page } = await opened(80_000, { viewport: { width: 390, height: 800 } })
      await checked(page)
      const shown = rows(page)
      const first = (name: string) => shown.first().getByText(name, { exact: true }).waitFor(patient)
      await first('Smith0')
      expect(await shown.count()).toBe(200)
      await page.getByText('to 200 of 80,000').waitFor()
      const begin = page.getByRole('spinbutton', { name: 'Begin with' })
      await begin.press('ArrowUp')
      await first('Smith200')
      await begin.fill('40001')
      await begin.press('Enter')
      await first('Smith40000')
      await page.getByRole('button', { name: 'Next rows' }).click()
      await first('Smith40200')
      await shown.getByRole('radio').first().press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      const focused = await page.evaluate('document.activeElement.closest("tr").innerText')
      expect(focused).toContain('Smith40202')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Row 40,203 (line 40,204)' }).waitFor(patient)
      await page.keyboard.press('Escape')
      await begin.fill('80000')
      await begin.press('Enter')
      await first('Smith79999')
      expect(await shown.count()).toBe(1)
    })

    it('a trial is forgotten, and the import sends all rows once', async () => {
      const { page, folder } = await opened(8)
      await checked(page)
      await goTo(page, 'Try five')
      await page.getByRole('button', { name: 'Send five rows' }).click()
      await page.getByText('Something is wrong').click(patient)
      await page.getByRole('button', { name: 'They are deleted: forget them' }).click()
      await page.getByText('The log has forgotten them.').waitFor(patient)
      await goTo(page, 'Import')
      await page.getByText('7 people go to practice on this computer. 1 stays in the rejects file.').waitFor()
      await page.getByRole('button', { name: 'Import', exact: true }).last().click()
      await ended(page)
      await goTo(page, 'Afterwards')
      await page.getByRole('heading', { name: '1 row was refused' }).waitFor(patient)
      const log = await readFile(join(folder, 'contacts.practice.results.ndjson'), 'utf8')
      expect(log.match(/"status":"forgotten"/g)?.length).toBeGreaterThan(0)
      expect(existsSync(join(folder, 'contacts.results.ndjson'))).toBe(false)
    })

    it('a token is typed once: it is in no field and in no storage afterwards', async () => {
      const { page } = await opened(3)
      await page.getByRole('button', { name: 'Change' }).click()
      await page.getByRole('radio', { name: 'The service below' }).check()
      await page.getByRole('textbox', { name: 'Address of the service' }).fill('https://api.example.com')
      await page.getByRole('textbox', { name: 'Number of the organization' }).fill('42')
      const field = page.getByLabel('Token', { exact: true })
      await field.fill(secret)
      await field.press('Enter')
      await page.getByText('Saved.').waitFor(patient)
      expect(await field.inputValue()).toBe('')
      const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.body.innerHTML])'
      expect(await page.evaluate(kept)).not.toContain(secret)
      await page.keyboard.press('Escape')
      await page.getByText('Sends to organization 42 of api.example.com').waitFor()
      await goTo(page, 'Import')
      const button = page.getByRole('button', { name: 'Import', exact: true }).last()
      expect(await button.getAttribute('aria-disabled')).toBe('true')
    })
  },
)
