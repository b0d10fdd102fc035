// Parts that several steps show.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { RecordView } from '../api.ts'
import { text } from './texts.ts'

export const Loading = () => <p role="status">{text('loading')}</p>

/** A record as it would look in the service. */
export function RecordCard({ record }: { readonly record: RecordView }) {
  return (
    <div class="record">
      <strong>{record.name}</strong>
      <dl>
        {record.fields.map(({ path, label, value }) => (
          <div key={path}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

export interface TextInputProps {
  readonly label: string
  readonly value: string
  readonly onSave: (value: string) => unknown
}

/** A text field whose text is saved when the person leaves it or presses Enter. A fresh value does not touch what is being typed. */
export function TextInput({ label, value, onSave }: TextInputProps) {
  const [typed, setTyped] = useState<string>()
  async function save() {
    if (typed !== undefined && typed !== value) await onSave(typed)
    setTyped(now => (now === typed ? undefined : now))
  }
  return (
    <input
      type="text"
      aria-label={label}
      value={typed ?? value}
      onInput={event => setTyped(event.currentTarget.value)}
      onBlur={save}
      onKeyDown={event => event.key === 'Enter' && save()}
    />
  )
}

export interface PickProps {
  readonly label: ComponentChildren
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onPick: (value: string) => unknown
}

/** A list to choose one of, with its label before it. */
export function Pick({ label, value, options, onPick }: PickProps) {
  return (
    <label class="pick">
      <span>{label}</span>
      <select value={value} onChange={event => onPick(event.currentTarget.value)}>
        {options.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
