import { useState } from 'preact/hooks'
import type { ColumnChoice, ColumnView, FieldView } from '../../api.ts'
import { useApp, useView } from '../app.ts'
import { found, type Option } from '../filter.ts'
import { Button, Dialog, Field, Form, Loading, Tick, Values } from '../parts.tsx'
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
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(column.fields[0] ?? column.by)
  const options = found(optionsOf(column, fields), typed)
  const first = typed === '' ? undefined : options[0]
  const active = options.find(each => each.id === at) ?? first
  const id = active?.id ?? 'undecided'
  const tried = choiceOf(isOwn(id) ? 'undecided' : id) // an own field has no id yet
  const [answer] = useView('column', { column: name, choice: tried, preview: true }, [])
  const values = answer && 'values' in answer ? answer.values : column.values
  return (
    <Dialog title={text('field_of', { column: name })} onClose={onClose}>
      <Form
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
        <fieldset class="options" aria-label={text('field_of', { column: name })}>
          {options.map(option => (
            <Tick
              key={option.id}
              {...{
                type: 'radio',
                name: 'path',
                checked: option.id === id,
                onChange: () => setAt(option.id),
              }}
              label={<OptionText {...option} />}
            />
          ))}
        </fieldset>
        {isOwn(id) && <Field name="customFieldId" label={text('custom_id')} required />}
        <Button label={text('choose_field')} type="submit" class="main" />
      </Form>
    </Dialog>
  )
}

const OptionText = ({ label, mark, detail }: Option) => (
  <span>
    <strong>{label}</strong> {mark && <span class="mark">{mark}</span>} <small>{detail}</small>
  </span>
)

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
