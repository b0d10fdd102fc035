// Parts that several steps show.
import type { ButtonHTMLAttributes, ComponentChildren, InputHTMLAttributes } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { ColumnView, RecordView } from '../api.ts'
import { useShown } from './app.ts'
import { fieldName, text } from './texts.ts'

export const Loading = () => <p role="status">{text('loading')}</p>

type ButtonProps = ButtonHTMLAttributes & {
  readonly label: string | number
  /** What there is to say of the label. */
  readonly note?: string | undefined
  readonly isOff?: boolean
}

/** A button; one that is off does nothing, and keeps the focus. */
export const Button = ({ label, note, isOff, onClick, ...others }: ButtonProps) => (
  <button type="button" aria-disabled={isOff} onClick={isOff ? undefined : onClick} {...others}>
    {label}
    {note !== undefined && <small> {note}</small>}
  </button>
)

/** Names and what belongs to them. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [name: string, value: string])[] }) => (
  <dl class="facts">
    {facts.map(([name, value], index) => (
      <div key={index}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** A record as it would look in the service. */
export const RecordCard = ({ record }: { readonly record: RecordView | null }) =>
  record && (
    <div class="record">
      <strong>{record.name}</strong>
      <Facts facts={record.fields.map(({ path, label, value }) => [fieldName(path, label), value])} />
    </div>
  )

type CardProps = Readonly<Record<'title' | 'children', ComponentChildren>> & { readonly isDone?: boolean }

/** A box with a title; `isDone` if there is nothing left to do in it. */
export const Card = ({ title, isDone = false, children }: CardProps) => (
  <article class={isDone ? 'card done' : 'card'}>
    <h2>{title}</h2>
    {children}
  </article>
)

interface TableProps {
  readonly label: string
  /** Names of the columns, the first one of the heads of rows. */
  readonly names: readonly string[]
  /** What is beside each cell if the screen is narrow; the names by default. */
  readonly labels?: readonly string[]
  readonly rows: readonly {
    readonly kind?: string
    readonly head: ComponentChildren
    readonly cells: readonly string[]
    /** The columns whose cells are wrong. */
    readonly bad?: readonly (string | null)[]
  }[]
}

/** A table in a box that scrolls. Rows keep their elements when others come in their place, so that the focus stays. */
export const Table = ({ label, names, labels = names.slice(1), rows }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
  <section class="scroll" tabIndex={0} aria-label={label}>
    <table class="lines">
      <thead>
        <tr>
          {names.map((name, column) => (
            <th key={column} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ kind, head, cells, bad }, index) => (
          <tr key={index} class={kind}>
            <th scope="row">{head}</th>
            {labels.map((name, column) => (
              <td key={column} data-label={name} class={bad?.includes(name) ? 'bad' : undefined}>
                {cells[column]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

interface ChoicesProps<Id> {
  readonly legend: string
  readonly choices: readonly (ButtonProps & { readonly id: Id })[]
  readonly chosen: Id | undefined
  readonly onChoose: (id: Id) => unknown
}

/** Buttons of which one is pressed. */
export const Choices = <Id extends string>({ legend, choices, chosen, onChoose }: ChoicesProps<Id>) => (
  <fieldset>
    <legend>{legend}</legend>
    {choices.map(({ id, ...button }) => (
      <Button key={id} aria-pressed={id === chosen} onClick={() => onChoose(id)} {...button} />
    ))}
  </fieldset>
)

interface FormProps {
  readonly children?: ComponentChildren
  /** The label of the button that sends it; none if there is nothing to send. */
  readonly submit?: string | undefined
  /** It can be sent only once. */
  readonly isOnce?: boolean
  /** Words that it returns are shown beside the button. */
  readonly onSend: (field: (name: string) => string, form: HTMLFormElement) => unknown
}

/** A form that is sent by a call; its fields keep what was typed. */
export function Form({ children, submit, isOnce = false, onSend }: FormProps) {
  const [said, setSaid] = useState('')
  const isOff = isOnce && said !== ''
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const typed = new FormData(form)
    if (isOff) return
    const words = await onSend(name => String(typed.get(name) ?? '').trim(), form)
    setSaid(typeof words === 'string' ? words : '')
  }
  return (
    <form onSubmit={send}>
      {children}
      <p class="buttons">
        {submit && <Button type="submit" label={submit} isOff={isOff} />}
        <span role="status">{said}</span>
      </p>
    </form>
  )
}

export type Options = readonly (readonly [value: string, label: string])[]

export type FieldProps = Omit<InputHTMLAttributes, 'value' | 'label'> & {
  readonly label: string
  readonly value?: string | undefined
  /** What there is to choose from; none for a text. A value that is not among them comes behind them. */
  readonly options?: Options
  /** What is wrong with the value, and what else there is to say. */
  readonly fault?: string
  readonly note?: ComponentChildren
  /** Called when the person chooses, or leaves a text or presses Enter. */
  readonly onSave?: (value: string) => unknown
}

interface ValuesProps {
  readonly label: string
  readonly values: readonly (ColumnView['values'][number] & { readonly row?: number })[]
}

/** Values and what becomes of them. */
export const Values = ({ label, values }: ValuesProps) => (
  <ul class="values" aria-label={label}>
    {values.map(({ row, before, after, fault }) => (
      <li key={row ?? before}>
        {row !== undefined && <small>{text('row', { row })}</small>} {before}
        {after !== null && <strong>→ {after}</strong>}
        {fault && <span class="bad">{fault}</span>}
      </li>
    ))}
  </ul>
)

/** What something comes to, in a few sentences. */
export const Verdict = ({ sentences }: { readonly sentences: readonly (string | undefined)[] }) => (
  <p class="verdict">{sentences.filter(Boolean).join(' ')}</p>
)

/** A text or a list to choose from, with its label. What is being typed stays when the value changes. */
export function Field({ label, value = '', options = [], fault = '', note, onSave, ...others }: FieldProps) {
  const id = useId()
  const control = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (control.current && control.current !== document.activeElement) control.current.value = value
  }, [value])
  const isChosen = options.some(([each]) => each === value)
  const all = isChosen ? options : [...options, [value, value] as const]
  const shared = {
    ...{ id, 'aria-invalid': fault !== '', 'aria-describedby': `${id}-note` },
    onChange: (event: { currentTarget: { value: string } }) => onSave?.(event.currentTarget.value),
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {options.length === 0 ? (
        <input autocomplete="off" ref={control} defaultValue={value} {...shared} {...(others as object)} />
      ) : (
        <select value={value} {...shared} aria-label={others['aria-label']}>
          {all.map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
      )}
      <small id={`${id}-note`}>
        <span class="bad">{fault}</span> {note}
      </small>
    </div>
  )
}

type TickProps = Omit<InputHTMLAttributes, 'label'> & { readonly label: ComponentChildren }

/** A box to tick, or one of several to choose, with its label. */
export const Tick = ({ label, ...input }: TickProps) => (
  <label class="tick">
    <input {...(input as object)} /> {label}
  </label>
)

/** What went wrong, in the words of the page itself or of the server. */
export const Faults = () =>
  useShown().faults.map(words => (
    <p class="fault" role="alert" key={words}>
      {words}
    </p>
  ))

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
}

/** A dialog over the page, which shows faults of calls, too. The first control in it has the focus; its end puts that back to where it was. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      <Faults />
      {children}
      <Button class="close" label={text('close')} onClick={() => dialog.current?.close()} />
    </dialog>
  )
}
