// What the build bundles of others: their licences ask that copyright and text go along with the code.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const read = (...path) => readFileSync(join(...path), 'utf8')

/** The texts of licences, for packages that only name theirs. */
const plainTexts = {
  MIT: () => read(import.meta.dirname, '../LICENSE').replace(/^.*?(?=Permission)/s, ''),
  ISC: () => `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby
granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.`,
}

/** The folder of the package that a bundled module is from; undefined for our own. */
function packageOf(id) {
  if (id.startsWith('\0rolldown/')) return join(import.meta.dirname, '../node_modules/rolldown') // its helpers
  return /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id.replaceAll('\\', '/'))?.[0]
}

/** The texts of a package's licence: its files, the end of its README, or the text of the licence that it names. Throws without one. */
function textsOf(folder, { author, license }) {
  const files = readdirSync(folder)
  const named = files.filter(file => /^(licen[cs]e|copying|notice)/i.test(file))
  if (named.length > 0) return named.map(file => read(folder, file))
  const readme = files.includes('README.md') ? read(folder, 'README.md') : ''
  const [section] = /^Copyright .*/ms.exec(readme) ?? []
  return [section ?? `Copyright (c) ${author.name ?? author}\n\n${plainTexts[license]()}`]
}

/** The text of THIRD-PARTY-NOTICES: each package of which a module is bundled, with its licence. Throws if one has none. */
export function noticesOf(moduleIds) {
  const folders = new Set(moduleIds.flatMap(id => packageOf(id) ?? []))
  const notices = [...folders].map(folder => {
    const about = JSON.parse(read(folder, 'package.json'))
    const texts = textsOf(folder, about).map(text => text.trim())
    return [`${about.name} ${about.version} (${about.license})`, ...texts].join('\n\n')
  })
  const head = 'The command of rowlift holds parts of these packages, under their own licences.'
  return `${[head, ...notices.sort()].join(`\n\n${'='.repeat(80)}\n\n`)}\n`
}
