// `npm run docs`: a site of README.md and docs/, in build/site/. VitePress makes it, which is installed into site/ at first use and is
// none of the package's dependencies. A dead link fails the build, and so does an address from elsewhere that a page would load.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const site = join(root, 'site')
const output = join(root, 'build/site')

function run(command, ...words) {
  const { status } = spawnSync(command, words, {
    cwd: site,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}

if (!isInstalled()) run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund')
rmSync(join(site, 'pages'), { recursive: true, force: true })
for (const page of [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs',
  'samples/README.md',
])
  cpSync(join(root, page), join(site, 'pages', page), { recursive: true })
run('npx', '--no-install', 'vitepress', 'build')

const files = readdirSync(output, { recursive: true, encoding: 'utf8' }).map(file =>
  file.replaceAll('\\', '/'),
)
const pages = new Map(files.filter(file => file.endsWith('.html')).map(file => [file, read(file)]))
const faults = [
  ...files.flatMap(file => loadedBy(file).map(address => `${file} loads ${address}`)),
  ...[...pages].flatMap(([page, text]) => deadIn(page, text).map(link => `${page} has a dead link, ${link}`)),
]
if (faults.length > 0) throw new Error(faults.join('\n'))
process.stdout.write(`${pages.size} pages are in build/site; they load nothing from elsewhere.\n`)

/** Whether the version that is there is the one that the lock names. */
function isInstalled() {
  const versionIn = path => JSON.parse(readFileSync(join(site, path), 'utf8'))
  const installed = 'node_modules/vitepress/package.json'
  const wanted = versionIn('package-lock.json').packages['node_modules/vitepress'].version
  return existsSync(join(site, installed)) && versionIn(installed).version === wanted
}

function read(file) {
  return readFileSync(join(output, file), 'utf8')
}

/** What a file would load from another address when it is opened; links that a person may follow are not meant. */
function loadedBy(file) {
  const patterns = {
    html: /<(?!a\b)[a-z-]+\b[^>]*?\s(?:src|srcset|href|data|action|poster)="((?:https?:)?\/\/[^"]*)"/g,
    css: /(?:url\(|@import\s)\s*["']?((?:https?:)?\/\/[^"')\s]*)/g,
    js: /\b(?:import|from|fetch|importScripts)\s*\(?\s*["'`]((?:https?:)?\/\/[^"'`]*)/g,
  }
  const pattern = patterns[file.split('.').at(-1)]
  return pattern === undefined ? [] : [...read(file).matchAll(pattern)].map(([, address]) => address)
}

/** Links of a page to what is not there: VitePress itself looks at pages, but not at their headings. */
function deadIn(page, text) {
  const links = [...text.matchAll(/<a\b[^>]*? href="([^"]*)"/g)].map(([, link]) => link)
  return links.filter(link => {
    const { origin, pathname, hash } = new URL(link, `http://here/${page}`)
    if (origin !== 'http://here') return false
    const target = pages.get(pathname === '/' ? 'index.html' : decodeURIComponent(pathname.slice(1)))
    return (
      target === undefined || (hash !== '' && !target.includes(` id="${decodeURIComponent(hash.slice(1))}"`))
    )
  })
}
