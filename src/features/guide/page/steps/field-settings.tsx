// What the rule of a column can be set to, besides its field.
import type { ColumnSettings, FieldView } from '../../api.ts'
import { type Options, Pick } from '../parts.tsx'
import { counted, language, text } from '../texts.ts'

export interface FieldSettingsProps {
  readonly column: string
  readonly field: FieldView
  readonly settings: ColumnSettings
  readonly onSet: (settings: ColumnSettings) => unknown
}

export function FieldSettings({ column, field: { takes, values }, settings, onSet }: FieldSettingsProps) {
  const { split, country, dateFormat, map = {}, words = [] } = settings
  const pick = (title: string, key: 'split' | 'country' | 'dateFormat', options: Options) => (
    <Pick
      {...{ title, options, label: `${title}: ${column}`, value: settings[key] ?? '' }}
      onSave={value => onSet({ ...settings, [key]: value || undefined })}
    />
  )
  function become(word: string, value: string) {
    const { [word]: _, ...others } = map
    return onSet({ ...settings, map: value === '' ? others : { ...others, [word]: value } })
  }
  const wanted: Options = values.map(value => [value, value])
  return (
    <div class="settings">
      {(takes.includes('split') || split) && pick(text('split'), 'split', separators)}
      {(takes.includes('country') || country) && pick(text('country'), 'country', countries)}
      {dateFormat && pick(text('date_order'), 'dateFormat', ordersOf(dateFormat))}
      {takes.includes('words') && words.length > 0 && (
        <fieldset class="words">
          <legend>{text('words_of', { column })}</legend>
          {words.map(({ word, rows }) => (
            <Pick
              key={word}
              title={`${word} (${counted('row_one', 'rows', rows)})`}
              label={`${word}: ${column}`}
              value={map[word] ?? ''}
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

const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const isCountry = (code: string): boolean =>
  new Intl.Locale(`und-${code}`).region === code && !/^(E[UZ]|UN|QO|X[AB]|ZZ)$/.test(code)

/** All countries that the browser has a name for, without those that are no more, and without groups of countries. */
const countries: Options = [
  ['', text('no_country')],
  ...letters
    .flatMap(first => letters.map(second => first + second))
    .filter(isCountry)
    .map(code => [code, names.of(code) ?? ''] as const)
    .filter(([, name]) => name !== '')
    .sort(([, one], [, other]) => one.localeCompare(other, language)),
]

/** A format of dates as it is, and with day and month in each other's place; alone if the month is a word. */
function ordersOf(format: string): Options {
  const swapped = format.replaceAll(/d+|M+/g, part => (part.startsWith('d') ? 'M' : 'd').repeat(part.length))
  const canSwap = /d/.test(format) && /M/.test(format) && !/MMM/.test(format)
  const formats = canSwap ? [format, swapped].sort() : [format]
  return formats.map(each => [each, `${text(/d.*M/.test(each) ? 'day_first' : 'month_first')} (${each})`])
}
