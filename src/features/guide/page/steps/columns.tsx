import { useState } from 'preact/hooks'
import type { ColumnChoice, ColumnSettings, ColumnView, FieldView } from '../../api.ts'
import { edit, useApp, useView } from '../app.ts'
import countryList from '../countries.json' with { type: 'json' }
import { found, type Option } from '../filter.ts'
import { Button, Dialog, Field, Form, Loading, type Options, Tick, Values } from '../parts.tsx'
import { counted, countryName, fieldName, language, text } from '../texts.ts'

/** One line per column: what it holds, where it goes, and the same values as they will be. */
export function ColumnsStep() {
  const { file } = useApp()
  const view = useView('columns', {})
  if (view === undefined) return <Loading />
  const { columns, fields } = view
  const choose = (column: string, choice: ColumnChoice) => {
    const words = choice.type === 'field' ? fieldName(choice.path, choice.path) : text(choice.type)
    return edit('column', { column, choice }, `${column}: ${words}`)
  }
  return (
    <>
      <p>
        {counted('column', columns.length)} · {counted('open', file.open.columns)}
      </p>
      <ul class="columns">
        {columns.map(column => (
          <li key={column.name} class={`by-${column.by}`}>
            <Column {...{ column, fields }} onChoose={choice => choose(column.name, choice)} />
          </li>
        ))}
      </ul>
    </>
  )
}

interface ColumnProps {
  readonly column: ColumnView
  readonly fields: readonly FieldView[]
  readonly onChoose: (choice: ColumnChoice) => unknown
}

function Column({ column, fields, onChoose }: ColumnProps) {
  const { name, filled, shapes, by, values } = column
  const [isOpen, setOpen] = useState(false)
  const field = fields.find(({ path }) => path === column.fields[0])
  const labels = column.fields.map(of => fieldName(of, fields.find(({ path }) => path === of)?.label ?? of))
  const label = labels.join(', ') || text(`by_${by}`)
  return (
    <>
      <div>
        <h2>{name}</h2>
        <small>
          {[text('filled', { share: Math.round(filled * 100) }), ...shapes.map(shapeText)].join(' · ')}
        </small>
        <span class={`mark by-${by}`}>{text(`by_${by}`)}</span>
      </div>
      <Values label={text('values_of', { column: name })} values={values} />
      <div>
        <Button
          class="chosen"
          label={label}
          aria-label={`${text('field_of', { column: name })}: ${label}`}
          onClick={() => setOpen(true)}
        />
        {field && <FieldSettings {...{ column, field, onChoose }} />}
      </div>
      {isOpen && <FieldDialog {...{ column, fields, onChoose }} onClose={() => setOpen(false)} />}
    </>
  )
}

const isOwn = (id: string) => id.startsWith('custom_field_values.')
const choiceOf = (id: string, own?: string): ColumnChoice =>
  id === 'undecided' || id === 'not_imported'
    ? { type: id }
    : { type: 'field', path: id, customFieldId: own || undefined }

/** Finds a field by typing, and shows the values as they would be in the one that the person is at. */
function FieldDialog(props: ColumnProps & { readonly onClose: () => void }) {
  const { column, fields, onChoose, onClose } = props
  const { name } = column
  const label = text('field_of', { column: name })
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(column.fields[0] ?? column.by)
  const options = found(optionsOf(column, fields), typed)
  const first = typed === '' ? undefined : options[0]
  const active = options.find(each => each.id === at) ?? first
  const id = active?.id ?? 'undecided'
  const tried = choiceOf(isOwn(id) ? 'undecided' : id) // an own field has no id yet
  const answer = useView('column', { column: name, choice: tried, preview: true }, [])
  const values = answer && 'values' in answer ? answer.values : column.values
  return (
    <Dialog title={label} onClose={onClose}>
      <Form
        submit={text('choose_field')}
        onSend={(field, form) => {
          form.closest('dialog')?.close()
          if (active) onChoose(choiceOf(id, field('customFieldId')))
        }}
      >
        <Values label={text('values_of', { column: name })} values={values} />
        <Field
          type="search"
          label={text('find_field')}
          note={<span role="status">{counted('found', options.length)}</span>}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value)
            setAt('')
          }}
        />
        <fieldset class="options" aria-label={label}>
          {options.map(option => (
            <Tick
              key={option.id}
              type="radio"
              name="path"
              checked={option.id === id}
              onChange={() => setAt(option.id)}
              label={
                <span>
                  <strong>{option.label}</strong> {option.mark && <span class="mark">{option.mark}</span>}{' '}
                  <small>{option.detail}</small>
                </span>
              }
            />
          ))}
        </fieldset>
        {isOwn(id) && <Field name="customFieldId" label={text('custom_id')} required />}
      </Form>
    </Dialog>
  )
}

const shapeText = (shape: string) => text(`shape_${shape as 'email'}`)

/** Fields that fit, then the decisions that go to no field, then all other fields. */
function optionsOf({ candidates }: ColumnView, fields: readonly FieldView[]): readonly Option[] {
  const optionOf = ({ path, label, type, values, words }: FieldView) => ({
    ...{ id: path, label: fieldName(path, label), words: [path, label, ...words] },
    detail: [text(`type_${type as 'text'}`), ...(type === 'boolean' ? [] : values)].join(', '),
  })
  const fitting = candidates.flatMap(path => fields.filter(field => field.path === path))
  return [
    ...fitting.map(field => ({ ...optionOf(field), mark: text('fits') })),
    ...(['not_imported', 'undecided'] as const).map(id => ({
      ...{ id, label: text(id), detail: text(`help_${id}`), words: [] },
    })),
    ...fields.filter(field => !fitting.includes(field)).map(optionOf),
  ]
}

/** What the rule of a column can be set to, besides its field. */
function FieldSettings({ column, field, onChoose }: Omit<ColumnProps, 'fields'> & { field: FieldView }) {
  const { name, settings } = column
  const { words = [], ...current } = settings
  const { map = {} } = current
  const set = (change: ColumnSettings) => onChoose({ type: 'field', path: field.path, ...current, ...change })
  const lists = { split: separators, country: countries, dateFormat: ordersOf(current.dateFormat ?? '') }
  const takes: readonly string[] = field.takes
  const settable = (['split', 'country', 'dateFormat'] as const).filter(
    key => current[key] || takes.includes(key),
  )
  function become(word: string, value: string) {
    const { [word]: _, ...others } = map
    return set({ map: value === '' ? others : { ...others, [word]: value } })
  }
  const wanted: Options = field.values.map(value => [value, value])
  const controls = [
    ...settable.map(key => ({
      label: text(`set_${key}`),
      value: current[key],
      options: lists[key],
      onSave: (value: string) => set({ [key]: value || undefined }),
    })),
    ...(takes.includes('words') ? words : []).map(({ word, rows }) => ({
      label: text('becomes', { word, rows: counted('row', rows) }),
      value: map[word],
      options: wanted.length === 0 ? [] : [['', text('by_undecided')] as const, ...wanted],
      onSave: (value: string) => become(word, value),
    })),
  ]
  return (
    <div class="settings">
      {controls.map(control => (
        <Field key={control.label} {...control} aria-label={`${control.label}: ${name}`} />
      ))}
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
