// The guide as a person plays it, by mouse or by keyboard, in Chromium.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { atEnd } from './cleanup.ts'
import { folderWith, linesOf, start } from './rowlift.ts'

export type Hand = 'mouse' | 'keyboard'

const hasFocus = (target: Locator) =>
  target.evaluate(element => element === element.ownerDocument.activeElement)

/** Presses Tab until the element has the focus, as somebody without a mouse does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let presses = 0; presses < 400; presses += 1) {
    if (await hasFocus(target)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${target}`)
}

/** A page, and what a person does on it. */
function playerOf(page: Page, hand: Hand) {
  const press = async (target: Locator) => {
    if (hand === 'mouse') return target.click()
    await tabTo(page, target)
    await page.keyboard.press('Enter')
  }
  const button = (name: string | RegExp) => page.getByRole('button', { name }).first()
  return {
    page,
    press,
    button,
    pressButton: (name: string | RegExp) => press(button(name)),
    async goTo(step: string) {
      await press(page.getByRole('navigation').getByRole('button', { name: step }).first())
      await page.getByRole('heading', { level: 1, name: step }).waitFor()
    },
    async type(label: string | RegExp, value: string) {
      const target = page.getByLabel(label).first()
      if (hand === 'mouse') return target.fill(value)
      await tabTo(page, target)
      await page.keyboard.press('Control+A')
      await page.keyboard.type(value)
    },
    /** Takes the other of two radios, which the arrows reach. */
    async take(radio: Locator) {
      if (await radio.isChecked()) return
      if (hand === 'mouse') return radio.check()
      await tabTo(page, page.getByRole('radio', { checked: true }))
      await page.keyboard.press('ArrowDown')
    },
    /** Opens the first row that is shown. */
    async openFirstRow() {
      const row = page.locator('tbody tr').first()
      if (hand === 'mouse') return row.click()
      await tabTo(page, row.getByRole('radio'))
      await page.keyboard.press('Enter')
    },
    /** Chooses a field for a column by typing a part of its name. */
    async choose(column: string, words: string) {
      await press(button(`Field of ${column}`))
      await page.getByRole('searchbox').waitFor()
      await page.keyboard.type(words)
      await page.keyboard.press('Enter')
    },
  }
}

export type Player = ReturnType<typeof playerOf>

type Played = BrowserContextOptions & { readonly hand?: Hand }

/** Starts the guide for files of a folder, and opens it in a browser that speaks English. */
export async function openedIn(
  browser: Browser,
  cwd: string,
  names: readonly string[],
  { env = {}, ...options }: BrowserContextOptions & { readonly env?: Record<string, string> } = {},
) {
  const running = start(['guide', ...names, '--no-open'], { cwd, env })
  const address = await new Promise<string>(tell =>
    running.process.stdout?.once('data', text => tell(`${text}`.trim())),
  )
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  atEnd(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  await page.goto(address)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return { page, complaints, running }
}

/** What a page looks like at a width and in a scheme: whether something hangs over, and what axe complains of. */
export async function lookAt(page: Page, width: number, colorScheme: 'light' | 'dark') {
  await page.setViewportSize({ width, height: 900 })
  await page.emulateMedia({ colorScheme })
  const isWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
  const hangsOver = await page.evaluate<boolean>(isWide)
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  const tags = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']"
  const { violations } = await page.evaluate<{ violations: object[] }>(`axe.run({ runOnly: ${tags} })`)
  return { hangsOver, violations }
}

/** Starts the guide in a folder of files, and plays it. */
export async function playedWith(
  browser: Browser,
  files: Readonly<Record<string, string | Buffer>>,
  played: Played = {},
) {
  const cwd = await folderWith(files)
  return { cwd, ...(await reopened(browser, cwd, Object.keys(files), played)) }
}

export async function reopened(
  browser: Browser,
  cwd: string,
  names: readonly string[],
  { hand = 'mouse', ...options }: Played = {},
) {
  const viewport = { width: hand === 'mouse' ? 1280 : 390, height: 900 }
  const opened = await openedIn(browser, cwd, names, { env: { ROWLIFT_TOKEN: '' }, viewport, ...options })
  const read = (name: string) => readFile(join(cwd, name), 'utf8')
  const created = async (log: string) => linesOf(await read(log)).filter(({ status }) => status === 'created')
  return { ...playerOf(opened.page, hand), ...opened, read, created }
}
