import { useRef, useState } from 'preact/hooks'
import type { ColumnChoice, ColumnSettings, ColumnView, FieldView } from '../../api.ts'
import { useApp, useEdited } from '../app.ts'
import { Combobox } from '../combobox.tsx'
import type { Option } from '../filter.ts'
import { Button, Loading, Pick } from '../parts.tsx'
import { counted, fieldName, percent, text } from '../texts.ts'
import { FieldSettings } from './field-settings.tsx'

/** One line per column: what it holds, where it goes, and the same values as they will be. */
export function ColumnsStep() {
  const { say } = useApp()
  const [view, edit] = useEdited('columns')
  const list = useRef<HTMLUListElement>(null)
  const at = useRef(-1)
  if (view === undefined) return <Loading />
  const { columns, fields } = view
  const open = columns.filter(({ by }) => by === 'undecided').length
  const choose = async (column: string, choice: ColumnChoice) => {
    if (await edit('column', { column, choice }))
      say(`${column}: ${choice.type === 'field' ? fieldName(choice.path, choice.path) : text(choice.type)}`)
  }
  function goToNext() {
    const undecided = [...columns.keys()].filter(index => columns[index]?.by === 'undecided')
    at.current = undecided.find(index => index > at.current) ?? undecided[0] ?? -1
    list.current?.children[at.current]?.querySelector('input')?.focus()
  }
  return (
    <>
      <p>
        {counted('column_one', 'columns', columns.length)} · {counted('open_one', 'open', open)}{' '}
        <Button isOff={open === 0} onClick={goToNext}>
          {text('next_open')}
        </Button>
      </p>
      <ul class="columns" ref={list}>
        {columns.map(column => (
          <li key={column.name} class={`by-${column.by}`}>
            <Column column={column} fields={fields} onChoose={choice => choose(column.name, choice)} />
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

function Column({ column, fields, onChoose }: ColumnProps) {
  const { name, values, filled, shapes, by, settings } = column
  const [path = ''] = column.fields
  /** An own field that was chosen, and waits for its id. */
  const [own, setOwn] = useState<string>()
  const field = fields.find(each => each.path === path)
  const labelOf = (of: string) => fieldName(of, fields.find(each => each.path === of)?.label ?? of)
  const none = by === 'undecided' || by === 'not_imported' ? by : undefined
  const value = none === 'undecided' ? '' : none ? text(none) : column.fields.map(labelOf).join(', ')
  function choose(id: string) {
    const isOwn = id.startsWith('custom_field_values.')
    setOwn(isOwn ? id : undefined)
    if (isOwn) return undefined
    return onChoose(id === 'undecided' || id === 'not_imported' ? { type: id } : { type: 'field', path: id })
  }
  return (
    <>
      <div>
        <h2>{name}</h2>
        <small>
          {text('filled', { share: percent(filled) })}
          {shapes.map(shape => ` · ${shape}`)}
        </small>
        <p>
          <span class={`mark by-${by}`}>{text(`by_${by}`)}</span>
        </p>
      </div>
      <ul class="values" aria-label={text('values_of', { column: name })}>
        {values.map(({ before, after, fault }) => (
          <li key={before}>
            <span>{before}</span>
            {(after !== null || fault !== null) && <span aria-hidden="true">→</span>}
            {after !== null && <strong>{after}</strong>}
            {fault !== null && <strong class="bad">{fault}</strong>}
          </li>
        ))}
      </ul>
      <div>
        <Combobox
          label={text('field_of', { column: name })}
          value={own === undefined ? value : labelOf(own)}
          placeholder={text('by_undecided')}
          options={optionsOf(column, fields)}
          chosen={own ?? none ?? path}
          onChoose={choose}
        />
        {own !== undefined && (
          <Pick
            {...{ title: text('custom_id'), label: `${text('custom_id')}: ${name}`, value: '' }}
            onSave={async customFieldId => {
              await onChoose({ type: 'field', path: own, customFieldId })
              setOwn(undefined)
            }}
          />
        )}
        {field && own === undefined && (
          <FieldSettings
            column={name}
            field={field}
            settings={settings}
            onSet={({ words: _, ...set }: ColumnSettings) =>
              onChoose({ type: 'field', path: field.path, ...set })
            }
          />
        )}
      </div>
    </>
  )
}

/** Fields that fit, then the decisions that go to no field, then all other fields. */
function optionsOf({ candidates }: ColumnView, fields: readonly FieldView[]): readonly Option[] {
  const optionOf = ({ path, label, description, words }: FieldView) => ({
    ...{ id: path, label: fieldName(path, label), detail: description },
    words: [path, label, ...words],
  })
  const fitting = candidates.flatMap(path => fields.filter(field => field.path === path))
  return [
    ...fitting.map(field => ({ ...optionOf(field), mark: text('fits') })),
    ...(['not_imported', 'undecided'] as const).map(id => ({
      ...{ id, label: text(id), detail: text(`${id}_help`), words: [] },
    })),
    ...fields.filter(field => !fitting.includes(field)).map(optionOf),
  ]
}
