import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../model/package-root.ts'

/** Where the build puts the modules of the page's script; the same place is found from src/ and from dist/. */
const built = new URL('dist/report/', packageRoot)

/** What comes later uses what comes before. */
const modules = [
  'numbers.js',
  'page/words.js',
  'page/moments.js',
  'page/browser/local-times.js',
  'page/browser/round-times.js',
  'page/browser/chart-look.js',
  'page/browser/chart-plugins.js',
  'page/browser/chart-config.js',
  'page/browser/charts.js',
  'page/browser/search.js',
  'page/browser/attention-table.js',
  'page/browser/main.js',
]

/**
 * The page's script: its modules one after the other as one, for a page that is opened from disk can import nothing. So no
 * two of them may give different things the same name.
 */
export const pageScript = (): string =>
  harmless(modules.map(name => withoutLinks(readFileSync(new URL(name, built), 'utf8'))).join('\n'))

/** The library that draws the charts, as a script that needs no other. */
export function chartLibrary(): string {
  const folder = dirname(createRequire(packageRoot).resolve('chart.js'))
  return harmless(readFileSync(join(folder, 'chart.umd.min.js'), 'utf8'))
}

const withoutLinks = (code: string) =>
  code.replaceAll(/^import\s[^;]*;$/gm, '').replaceAll(/^export (?:\{[^}]*\};?$)?/gm, '')

/** Nothing in a script may end the element in which it stands, nor ask for a map that is not there. */
export const harmless = (code: string): string =>
  code
    .replaceAll('\r\n', '\n')
    .replaceAll(/<(?=\/script|!--)/gi, '\\x3c')
    .replaceAll(/^\/\/# sourceMappingURL=.*$/gm, '')
