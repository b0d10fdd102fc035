import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

const inDocs = readdirSync(`${root}/docs`, { recursive: true, encoding: 'utf8' })

/** The pages of the documentation, as paths from the root of the repository. */
export const pages: readonly string[] = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'samples/README.md'],
  ...inDocs.filter(file => file.endsWith('.md')).map(file => `docs/${file}`),
]

export const textOf = (file: string): string => readFileSync(`${root}/${file}`, 'utf8')

export interface Block {
  readonly language: string
  readonly text: string
}

/** The code blocks of a page in its order, without their indentation. */
export const blocksOf = (page: string): Block[] =>
  [...textOf(page).matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```/gm)].map(
    ([, indent = '', language = '', text = '']) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )

/** The code blocks of a page in one of these languages. */
export const blocksIn = (page: string, ...languages: readonly string[]): string[] =>
  blocksOf(page)
    .filter(({ language }) => languages.includes(language))
    .map(({ text }) => text)

/** The whole mappings that a page shows. */
export const mappingsIn = (page: string): string[] =>
  blocksIn(page, 'yaml').filter(block => /^record:/m.test(block))

/** The words after `rowlift` of each command in these shell lines. */
export const commandsIn = (block: string): string[][] =>
  block
    .replaceAll(/ *\\\n\s*/g, ' ')
    .split('\n')
    .flatMap(line => /(?:^|[\s/(])rowlift ([a-z]+( .*)?)$/.exec(line.replace(/(^|\s)#.*$/, ''))?.[1] ?? [])
    .map(command => command.replace(/\s*(\|.*|\)")$/, ''))
    .map(command => [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? ''))
