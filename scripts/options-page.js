// docs/usage/options.md, made of the tables of options: `npm run schema` writes it.

import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

const notes = parse(readFileSync(new URL('option-notes.yaml', import.meta.url), 'utf8'))

/** The options of each command by its name. Some have none; those that take all options of `import` have only the others here. */
export async function optionTables(commands) {
  const heads = Object.entries(commands).map(async ([name, load]) => [name, (await load()).options])
  const [[first, ofImport], ...tables] = await Promise.all(heads)
  const own = tables.map(([name, options]) => {
    const takesAll = Object.keys(ofImport).every(option => options[option] === ofImport[option])
    const isOwn = ([option]) => !takesAll || !(option in ofImport)
    return [name, Object.fromEntries(Object.entries(options).filter(isOwn))]
  })
  return Object.fromEntries([
    [first, ofImport],
    ...own.filter(([, options]) => Object.keys(options).length > 0),
  ])
}

/** The page, from the options of each command by its name. `words` are those of help: the flag of a name, and what stands for its value. */
export const optionsPage = (commands, words) => `${intro}
${Object.entries(commands)
  .map(([command, options]) => section(command, options, words))
  .join('\n')}`

const intro = `# Options

<!-- Made by \`npm run schema\` from the options of each command. -->

Every option of \`import\` can be a flag, an environment variable (\`ROWLIFT_\` and the name in upper snake case) or a key of the settings
file. [The command line](command-line.md#where-options-come-from) says which wins. \`config/settings.schema.json\` completes and checks
settings files in editors.
`

const section = (command, options, words) => `## rowlift ${command}

| option | default | meaning |
|---|---|---|
${Object.entries(options)
  .map(
    ([name, option]) =>
      `| ${flags(name, option, words)} | ${defaultOf(option)} | ${meaningOf(option, notes[name]?.see)} |\n`,
  )
  .join('')}`

function flags(name, option, { flagOf, placeholderOf }) {
  const flag = flagOf(name)
  if (option.kind === 'rules') return `\`${flag}:\` in a settings file`
  const value = ` ${placeholderOf(option).replaceAll('|', '\\|')}`.trimEnd()
  const names = [...(option.alias === undefined ? [] : [`-${option.alias}`]), `--${flag}`]
  return names.map((name, at) => `\`${name}${at === names.length - 1 ? value : ''}\``).join(', ')
}

function defaultOf({ kind, default: value, defaultText }) {
  if (defaultText !== undefined) return defaultText.replaceAll(/<\S+>\S*/g, '`$&`')
  if (kind === 'flag') return value === false ? 'off' : ''
  return value === undefined || kind === 'rules' ? '' : `\`${value}\``
}

function meaningOf({ text, kind, placeholder, values = [] }, see) {
  const choice =
    kind === 'choice' && placeholder !== undefined
      ? `: ${values.map(value => `\`${value}\``).join(', ')}`
      : ''
  const [page] = (see ?? '').split('#')
  return `${text}${choice}${see === undefined ? '' : ` ([${page.replace('.md', '').replaceAll('-', ' ')}](${see}))`}`.replaceAll(
    /<(?=\w)/g,
    '&lt;',
  )
}
