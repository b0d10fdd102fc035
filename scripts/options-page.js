// docs/usage/options.md, made of the tables of options: `npm run schema` writes it.

/** The page, from the options of each command by its name. `flagOf` makes a flag of an option's name. */
export const optionsPage = (commands, flagOf) => `${intro}
${Object.entries(commands)
  .map(([command, options]) => section(command, options, flagOf))
  .join('\n')}`

const intro = `# Options

<!-- Made by \`npm run schema\` from src/app/options.ts and src/app/command-options.ts. -->

Every option of \`import\` can be a flag, an environment variable (\`ROWLIFT_\` and the name in upper snake case) or a key of the settings
file. [The command line](command-line.md#where-options-come-from) says which wins. \`config/settings.schema.json\` completes and checks
settings files in editors.
`

const section = (command, options, flagOf) => `## rowlift ${command}

| option | default | meaning |
|---|---|---|
${Object.entries(options)
  .map(
    ([name, option]) => `| ${flags(flagOf(name), option)} | ${defaultOf(option)} | ${meaningOf(option)} |\n`,
  )
  .join('')}`

function flags(flag, option) {
  if (option.kind === 'rules') return `\`${flag}:\` in a settings file`
  const value = placeholderOf(option)
  const names = [...(option.alias === undefined ? [] : [`-${option.alias}`]), `--${flag}`]
  return names.map((name, at) => `\`${name}${at === names.length - 1 ? value : ''}\``).join(', ')
}

/** What stands for the value; a choice of few is written out. */
function placeholderOf({ kind, values }) {
  const placeholders = {
    path: 'FILE',
    url: 'URL',
    version: 'V',
    count: 'N',
    number: 'N',
    rows_or_share: 'N\\|N%',
    uuid: 'ID',
  }
  if (kind === 'flag') return ''
  if (kind === 'choice' && values.length < 4) return ` ${values.join('\\|')}`
  return ` ${placeholders[kind] ?? 'VALUE'}`
}

function defaultOf({ kind, default: value, defaultText }) {
  if (defaultText !== undefined) return defaultText.replaceAll(/<\S+>\S*/g, '`$&`')
  if (kind === 'flag') return value === false ? 'off' : ''
  return value === undefined || kind === 'rules' ? '' : `\`${value}\``
}

function meaningOf({ text, see, kind, values = [] }) {
  const choice =
    kind === 'choice' && values.length > 3 ? `: ${values.map(value => `\`${value}\``).join(', ')}` : ''
  const [page] = (see ?? '').split('#')
  return `${text}${choice}${see === undefined ? '' : ` ([${page.replace('.md', '').replaceAll('-', ' ')}](${see}))`}`.replaceAll(
    /<(?=\w)/g,
    '&lt;',
  )
}
