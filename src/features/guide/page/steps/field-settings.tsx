// What the rule of a column can be set to, besides its field.
import type { ColumnChoice, ColumnSettings, ColumnView, FieldView } from '../../api.ts'
import countryList from '../countries.json' with { type: 'json' }
import { Field, type Options } from '../parts.tsx'
import { counted, countryName, language, text } from '../texts.ts'

export interface FieldSettingsProps {
  readonly column: ColumnView
  readonly field: FieldView
  readonly onChoose: (choice: ColumnChoice) => unknown
}

export function FieldSettings({ column, field, onChoose }: FieldSettingsProps) {
  const { name, settings } = column
  const { words = [], ...current } = settings
  const { split, country, dateFormat, map = {} } = current
  const set = (change: ColumnSettings) => onChoose({ type: 'field', path: field.path, ...current, ...change })
  const pick = (title: string, key: 'split' | 'country' | 'dateFormat', options: Options) => (
    <Field
      {...{ label: title, options, value: settings[key] }}
      aria-label={`${title}: ${name}`}
      onSave={value => set({ [key]: value || undefined })}
    />
  )
  function become(word: string, value: string) {
    const { [word]: _, ...others } = map
    return set({ map: value === '' ? others : { ...others, [word]: value } })
  }
  const { takes, values } = field
  const wanted: Options = values.map(value => [value, value])
  return (
    <div class="settings">
      {(takes.includes('split') || split) && pick(text('split'), 'split', separators)}
      {(takes.includes('country') || country) && pick(text('country'), 'country', countries)}
      {dateFormat && pick(text('date_order'), 'dateFormat', ordersOf(dateFormat))}
      {takes.includes('words') && words.length > 0 && (
        <fieldset class="words">
          <legend>{text('words_of', { column: name })}</legend>
          {words.map(({ word, rows }) => (
            <Field
              key={word}
              label={`${word} (${counted('row', rows)})`}
              aria-label={`${word}: ${name}`}
              value={map[word]}
              options={wanted.length === 0 ? [] : [['', text('by_undecided')], ...wanted]}
              onSave={value => become(word, value)}
            />
          ))}
        </fieldset>
      )}
    </div>
  )
}

const separators: Options = [
  ['', text('not_split')],
  ...[',', ';', '|', '/'].map(each => [each, each] as const),
  ['\n', text('line_break')],
]

const named = countryList.codes.split(' ').map(code => [code, countryName(code)] as const)
/** Countries whose numbers can be read. */
const countries: Options = [
  ['', text('no_country')],
  ...named.sort(([, one], [, other]) => one.localeCompare(other, language)),
]

/** A format of dates as it is, and with day and month in each other's place; alone if the month is a word. */
function ordersOf(format: string): Options {
  const swapped = format.replaceAll(/d+|M+/g, part => (part.startsWith('d') ? 'M' : 'd').repeat(part.length))
  const canSwap = /d/.test(format) && /M/.test(format) && !/MMM/.test(format)
  const formats = canSwap ? [format, swapped].sort() : [format]
  return formats.map(each => [each, `${text(/d.*M/.test(each) ? 'day_first' : 'month_first')} (${each})`])
}
