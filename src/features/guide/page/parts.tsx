// Parts that several steps show.
import type { ButtonHTMLAttributes } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { RecordView } from '../api.ts'
import { fieldName, text } from './texts.ts'

export const Loading = () => <p role="status">{text('loading')}</p>

/** A button; one that is off does nothing, and keeps the focus. */
export const Button = ({ isOff, onClick, ...others }: ButtonHTMLAttributes & { isOff?: boolean }) => (
  <button type="button" aria-disabled={isOff} onClick={isOff ? undefined : onClick} {...others} />
)

/** A record as it would look in the service. */
export const RecordCard = ({ record: { name, fields } }: { readonly record: RecordView }) => (
  <div class="record">
    <strong>{name}</strong>
    <dl>
      {fields.map(({ path, label, value }) => (
        <div key={path}>
          <dt>{fieldName(path, label)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  </div>
)

export type Options = readonly (readonly [value: string, label: string])[]

export interface PickProps {
  readonly title: string
  /** For those who do not see what stands around it. */
  readonly label: string
  readonly value: string
  /** What there is to choose from; none for a text. A value that is not among them comes behind them. */
  readonly options?: Options
  readonly onSave: (value: string) => unknown
}

/** A list to choose from or a text, with its title. A text is saved when the person leaves it or presses Enter. */
export function Pick({ title, label, value, options = [], onSave }: PickProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const isTyping = input.current === document.activeElement
    if (input.current !== null && !isTyping) input.current.value = value
  }, [value])
  const all = options.some(([id]) => id === value) ? options : [...options, [value, value] as const]
  const shared = {
    'aria-label': label,
    onChange: (event: { currentTarget: { value: string } }) => onSave(event.currentTarget.value),
  }
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: its control stands in it
    <label class="pick">
      <span>{title}</span>
      {options.length === 0 ? (
        <input type="text" ref={input} defaultValue={value} {...shared} />
      ) : (
        <select value={value} {...shared}>
          {all.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </label>
  )
}
