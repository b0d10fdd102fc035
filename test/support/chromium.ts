import { existsSync } from 'node:fs'

/** Where the browser is that tests of pages open. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** Whether it is there; where it is not, one line says what is left out. */
export function hasChromium(tests: string): boolean {
  const isThere = existsSync(chromiumPath)
  if (!isThere)
    process.stderr.write(
      `Skipped: ${tests}, for there is no ${chromiumPath}. Install Debian's package chromium, or name a Chromium by CHROMIUM_PATH.\n`,
    )
  return isThere
}

/** No prompts, no network services, and a new profile for each start. */
export const chromiumArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
