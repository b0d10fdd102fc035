// Controls that the steps from the check on share.
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** Words and their values. */
export const Facts = (props: { facts: readonly (readonly [label: string, value: ComponentChildren])[] }) => (
  <dl class="facts">
    {props.facts.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

interface FormProps {
  readonly children: ComponentChildren
  readonly onSend: (field: (name: string) => string, form: HTMLFormElement) => unknown
}

/** A form that is sent by a call; its fields keep what was typed. */
export function Form({ children, onSend }: FormProps) {
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const typed = new FormData(form)
    onSend(name => String(typed.get(name) ?? '').trim(), form)
  }
  return <form onSubmit={send}>{children}</form>
}

interface FieldProps {
  readonly name: string
  readonly label: string
  /** Whether what is typed is not shown. */
  readonly isSecret?: boolean
  readonly value?: string | undefined
  readonly pattern?: string
  /** What is wrong with the value, and what else there is to say. */
  readonly fault?: string | undefined
  readonly note?: string | undefined
}

export function Field({ name, label, isSecret = false, value = '', pattern, fault, note }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...{ id, name, pattern, defaultValue: value, autocomplete: 'off' }}
        type={(isSecret ? 'password' : 'text') as 'text'}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-note`}
      />
      <small id={`${id}-note`}>
        {fault && <span class="bad">{fault}</span>} {note}
      </small>
    </div>
  )
}

/** A box to tick, or one of several to choose, with its label. */
export const Tick = ({
  label,
  ...input
}: {
  label: string
  name?: string
  value?: string
  isOn?: boolean
}) => (
  <label class="tick">
    <input
      type={input.name ? 'radio' : 'checkbox'}
      name={input.name}
      value={input.value}
      defaultChecked={input.isOn}
    />
    {label}
  </label>
)
