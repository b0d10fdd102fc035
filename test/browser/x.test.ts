import { chromium } from 'playwright-core'
import { it, expect } from 'vitest'
import { chromiumArgs, chromiumPath } from '../support/chromium.ts'
import { playedWith } from '../support/guide-browser.ts'
import { addressList, taskList, board, listWithFaults, linkedFiles } from '../support/guide-files.ts'
const shots = async (p: any, n: string) => { await p.page.waitForTimeout(800); await p.page.screenshot({ path: `/tmp/w/s-${n}.png`, fullPage: true }) }
it('story', async () => {
  const browser = await chromium.launch({ executablePath: chromiumPath, headless: true, args: chromiumArgs })
  const p = await playedWith(browser, { 'adressen.xlsx': addressList() })
  await shots(p, '1file')
  await p.goTo('What is it?'); await shots(p, '2kind')
  await p.goTo('Columns'); await shots(p, '3columns')
  await p.goTo('Questions'); await shots(p, '4questions'); await p.pressButton('Leave them out'); await p.page.waitForTimeout(1500); await p.pressButton('They are'); await p.page.waitForTimeout(1500)
  await p.goTo('Check'); await p.pressButton('Check all rows'); await p.page.waitForTimeout(3000); await shots(p, '5check')
  await p.goTo('Try five'); await p.pressButton(/Send|Try/); await p.page.waitForTimeout(3000); await shots(p, '6try')
  await p.goTo('Import'); await shots(p, '7run'); await p.page.getByRole('main').getByRole('button', { name: /Import/ }).first().click(); await p.page.waitForTimeout(3000); await shots(p, '8run')
  await p.goTo('Afterwards'); await shots(p, '9after')
  console.log(p.complaints)
  console.log(await p.page.evaluate(() => document.body.innerText))
  await browser.close()
}, 60000)
