// The site is README.md and the pages that it leads to, as they are. Nothing in it comes from elsewhere: search is in the page.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const textOf = page => readFileSync(join(root, page), 'utf8')
const headingOf = page => /^# (.*)$/m.exec(textOf(page))?.[1].replaceAll('`', '') ?? page

/** The name by which a link finds a heading, as GitHub makes it. */
const anchorOf = heading =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** The pages that a page links to, in the order in which it names them last: at its end is its list of all. */
function linkedIn(page, folder) {
  const links = [...textOf(page).matchAll(/\]\(([^)#:]+\.md)\)/g)].map(([, link]) =>
    posix.join(dirname(page), link),
  )
  return [...new Set(links.reverse())].reverse().filter(link => link.startsWith(folder))
}

const isNoUsage = page => !page.startsWith('docs/usage/')

const group = (text, pages) => ({
  text,
  items: pages.map(page => ({ text: headingOf(page), link: `/${page.replace(/\.md$/, '')}` })),
})

/**
 * Links to a folder lead to its README.md. Links to other files of the repository become text, for the site does not have them; one to
 * a file that is not there is an error. VitePress checks those to pages.
 */
function asOnGitHub(markdown) {
  const { rules } = markdown.renderer
  for (const name of ['text', 'code_inline']) {
    const render = rules[name]
    rules[name] = (...words) => render(...words).replaceAll('{{', '&#123;&#123;') // to Vue they are a template
  }
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    for (const { children } of tokens)
      for (const [at, token] of (children ?? []).entries())
        if (token.type === 'link_open') adapt(children, at, env.relativePath)
  })
}

function adapt(tokens, at, page) {
  const [, path, anchor] = /^([^#]*)(#.*)?$/.exec(tokens[at].attrGet('href'))
  if (path === '' || /^[a-z]+:/.test(path)) return
  const target = posix.join(dirname(page), path)
  if (!existsSync(join(root, target))) throw new Error(`${page} links to ${path}, which is not there`)
  const to = target.endsWith('.md') ? path : posix.join(path, 'README.md')
  if (target === 'README.md')
    tokens[at].attrSet('href', path.replace('README.md', 'index.md') + (anchor ?? ''))
  else if (existsSync(join(root, dirname(page), to))) tokens[at].attrSet('href', to + (anchor ?? ''))
  else {
    const end = tokens.findIndex((token, place) => place > at && token.type === 'link_close')
    for (const token of [tokens[at], tokens[end]]) token.tag = 'span'
    tokens[at].attrs = [['title', `${target} in the repository`]]
    tokens[at].type = 'repository_open'
    tokens[end].type = 'repository_close'
  }
}

export default {
  title: 'rowlift',
  description: JSON.parse(textOf('package.json')).description,
  srcDir: 'pages', // copies, for pages are built beside the packages that they need
  outDir: '../build/site',
  cacheDir: '../build/site-cache',
  rewrites: { 'README.md': 'index.md' },
  ignoreDeadLinks: false,
  markdown: {
    config: asOnGitHub,
    attrs: { disable: true },
    anchor: { slugify: anchorOf },
    languageAlias: { crontab: 'sh' },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      group('For users', linkedIn('README.md', 'docs/usage/')),
      group('How it works', linkedIn('README.md', 'docs/').filter(isNoUsage)),
      group('For contributors', [
        'CONTRIBUTING.md',
        ...linkedIn('CONTRIBUTING.md', 'docs/').filter(isNoUsage),
      ]),
    ],
  },
}
