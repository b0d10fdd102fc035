// Controls that the steps from the check on share.
import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

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

type FieldProps = InputHTMLAttributes & {
  readonly label: string
  /** What is wrong with the value, and what else there is to say. */
  readonly fault?: string | undefined
  readonly note?: string | undefined
}

/** A field for a line of text, with its label. */
export function Field({ label, fault, note, ...input }: FieldProps) {
  const id = useId()
  const about = { 'aria-invalid': fault !== undefined, 'aria-describedby': `${id}-note` }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} autocomplete="off" {...about} {...input} />
      <small id={`${id}-note`}>
        {fault && <span class="bad">{fault}</span>} {note}
      </small>
    </div>
  )
}

/** A box to tick, or one of several to choose, with its label. */
export const Tick = ({ label, ...input }: InputHTMLAttributes & { readonly label: string }) => (
  <label class="tick">
    <input {...input} /> {label}
  </label>
)
