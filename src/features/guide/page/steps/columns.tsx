import { useRef, useState } from 'preact/hooks'
import type { ColumnChoice, ColumnView, FieldView } from '../../api.ts'
import { useApp, useSettled, useView } from '../app.ts'
import { Combobox } from '../combobox.tsx'
import type { Option } from '../filter.ts'
import { Field, Loading, Values } from '../parts.tsx'
import { counted, fieldName, text } from '../texts.ts'
import { FieldSettings } from './field-settings.tsx'

/** One line per column: what it holds, where it goes, and the same values as they will be. */
export function ColumnsStep() {
  const { file, say } = useApp()
  const [view, edit] = useView('columns', {})
  if (view === undefined) return <Loading />
  const { columns, fields } = view
  const choose = async (column: string, choice: ColumnChoice) => {
    if (await edit('column', { column, choice }))
      say(`${column}: ${choice.type === 'field' ? fieldName(choice.path, choice.path) : text(choice.type)}`)
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
  readonly onChoose: (choice: ColumnChoice) => Promise<void>
}

/** How long the person stays at an option until it is tried. */
const pauseMs = 150

const isOwn = (id: string | undefined) => id?.startsWith('custom_field_values.')
const choiceOf = (id: string): ColumnChoice =>
  id === 'undecided' || id === 'not_imported' ? { type: id } : { type: 'field', path: id }

function Column({ column, fields, onChoose }: ColumnProps) {
  const { name, filled, shapes, by } = column
  const [path = ''] = column.fields
  /** An own field that was chosen, and waits for its id. */
  const [own, setOwn] = useState<string>()
  /** The option that the person is at in the list. */
  const [at, setAt] = useState<string>()
  const settled = useSettled(at, pauseMs)
  const box = useRef<HTMLDivElement>(null)
  const field = fields.find(each => each.path === path)
  const labelOf = (of: string) => fieldName(of, fields.find(each => each.path === of)?.label ?? of)
  const none = by === 'undecided' || by === 'not_imported' ? by : undefined
  const words = by === 'not_imported' ? text(by) : by === 'undecided' ? '' : text(`by_${by}`)
  const value = path === '' ? words : column.fields.map(labelOf).join(', ')
  function choose(id: string) {
    setOwn(isOwn(id) ? id : undefined)
    return isOwn(id) ? undefined : onChoose(choiceOf(id))
  }
  return (
    <>
      <div>
        <h2>{name}</h2>
        <small>
          {[text('filled', { share: Math.round(filled * 100) }), ...shapes.map(shapeText)].join(' · ')}
        </small>
        <span class={`mark by-${by}`}>{text(`by_${by}`)}</span>
      </div>
      <div class="tried">
        <Values label={text('values_of', { column: name })} values={column.values} />
        {at !== undefined && at === settled && !isOwn(at) && <Preview key={at} column={name} id={at} />}
      </div>
      <div ref={box}>
        <Combobox
          label={text('field_of', { column: name })}
          value={own === undefined ? value : labelOf(own)}
          placeholder={text('by_undecided')}
          options={optionsOf(column, fields)}
          chosen={own ?? none ?? path}
          onMove={setAt}
          onChoose={choose}
        />
        {own !== undefined && (
          <Field
            label={text('custom_id')}
            aria-label={`${text('custom_id')}: ${name}`}
            onSave={async customFieldId => {
              await onChoose({ type: 'field', path: own, customFieldId })
              const isHere = box.current?.contains(document.activeElement)
              setOwn(undefined)
              if (isHere) box.current?.querySelector('input')?.focus()
            }}
          />
        )}
        {field && own === undefined && <FieldSettings {...{ column, field, onChoose }} />}
      </div>
    </>
  )
}

/** The values as they would be under an option; they lie over those that are, so that nothing moves. */
function Preview({ column, id }: { readonly column: string; readonly id: string }) {
  const [answer] = useView('column', { column, choice: choiceOf(id), preview: true }, [])
  if (answer === undefined || !('values' in answer)) return null
  return <Values label={text('values_of', { column })} values={answer.values} />
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
