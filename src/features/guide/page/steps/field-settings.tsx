// What the rule of a column can be set to, besides its field.
import type { ComponentChildren } from 'preact'
import type { ColumnSettings, FieldView } from '../../api.ts'
import { Pick, TextInput } from '../parts.tsx'
import { counted, language, text } from '../texts.ts'

type Options = readonly (readonly [value: string, label: string])[]

export interface FieldSettingsProps {
  readonly column: string
  readonly field: FieldView
  readonly settings: ColumnSettings
  readonly onSet: (settings: ColumnSettings) => unknown
}

export function FieldSettings({ column, field, settings, onSet }: FieldSettingsProps) {
  const { split, country, dateFormat, words = [] } = settings
  const set = (change: ColumnSettings) => onSet({ ...settings, ...change })
  const takes = (setting: FieldView['takes'][number]) => field.takes.includes(setting)
  const labelOf = (words: string): ComponentChildren => (
    <>
      {words} <span class="said">{column}</span>
    </>
  )
  return (
    <div class="settings">
      {takes('split') && (
        <Pick
          label={labelOf(text('split'))}
          value={split ?? ''}
          options={withValue(separators, split)}
          onPick={value => set({ split: value || undefined })}
        />
      )}
      {takes('country') && (
        <Pick
          label={labelOf(text('country'))}
          value={country ?? ''}
          options={countries}
          onPick={value => set({ country: value || undefined })}
        />
      )}
      {takes('date') && dateFormat !== undefined && (
        <Pick
          label={labelOf(text('date_order'))}
          value={dateFormat}
          options={[dateFormat, swapped(dateFormat)].sort().map(format => [format, orderOf(format)])}
          onPick={value => set({ dateFormat: value })}
        />
      )}
      {takes('words') && words.length > 0 && (
        <Words column={column} values={field.values} settings={settings} onMap={map => set({ map })} />
      )}
    </div>
  )
}

interface WordsProps {
  readonly column: string
  readonly values: readonly string[]
  readonly settings: ColumnSettings
  readonly onMap: (map: Readonly<Record<string, string>>) => unknown
}

/** Words of the column, each with the word of the field that it becomes. */
function Words({ column, values, settings: { words = [], map = {} }, onMap }: WordsProps) {
  const become = (word: string, value: string) => {
    const { [word]: _, ...others } = map
    return onMap(value === '' ? others : { ...others, [word]: value })
  }
  const options: Options = [['', text('by_undecided')], ...values.map(value => [value, value] as const)]
  return (
    <fieldset class="words">
      <legend>{text('words_of', { column })}</legend>
      {words.map(({ word, rows }) => {
        const label = `${word} (${counted('row_one', 'rows', rows)})`
        const value = map[word] ?? ''
        const save = (now: string) => become(word, now)
        return values.length > 0 ? (
          <Pick key={word} label={label} value={value} options={withValue(options, value)} onPick={save} />
        ) : (
          <div class="pick" key={word}>
            <span>{label}</span>
            <TextInput label={label} value={value} onSave={save} />
          </div>
        )
      })}
    </fieldset>
  )
}

/** A list that has what the mapping says, too. */
const withValue = (options: Options, value = ''): Options =>
  options.some(([id]) => id === value) ? options : [...options, [value, value]]

const separators: Options = [
  ['', text('not_split')],
  ...[',', ';', '|', '/'].map(each => [each, each] as const),
  ['\n', text('line_break')],
]

const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
/** All countries that the browser has a name for, without those that are no more, and without groups of countries. */
const countries: Options = [
  ['', text('no_country')],
  ...letters
    .flatMap(first => letters.map(second => first + second))
    .filter(code => new Intl.Locale(`und-${code}`).region === code && !/^(E[UZ]|UN|QO|X[AB]|ZZ)$/.test(code))
    .flatMap(code => {
      const name = names.of(code)
      return name === undefined ? [] : [[code, name] as const]
    })
    .sort(([, one], [, other]) => one.localeCompare(other, language)),
]

const isDayFirst = (format: string): boolean => /d.*M/.test(format)
const orderOf = (format: string): string =>
  `${text(isDayFirst(format) ? 'day_first' : 'month_first')} (${format})`

/** A format of dates with day and month in each other's place. */
const swapped = (format: string): string =>
  format.replaceAll(/d+|M+/g, part => (part.startsWith('d') ? 'M' : 'd').repeat(part.length))
