// A text field with a list to choose from, as the ARIA pattern of an editable combobox has it.
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { useApp } from './app.ts'
import { found, type Option } from './filter.ts'
import { counted } from './texts.ts'

/** How far keys move in the list. */
const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }

export interface ComboboxProps {
  readonly label: string
  /** What is chosen, in words. */
  readonly value: string
  readonly placeholder: string
  readonly options: readonly Option[]
  readonly chosen: string | undefined
  /** Called with the option that a person is at, other than the chosen one; undefined if there is none. */
  readonly onMove: (id: string | undefined) => unknown
  readonly onChoose: (id: string) => unknown
}

export function Combobox({ label, value, placeholder, options, chosen, onMove, onChoose }: ComboboxProps) {
  const id = useId()
  const { say } = useApp()
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState<string>()
  const [active, setActive] = useState(-1)
  const list = useRef<HTMLDivElement>(null)
  const shown = isOpen ? found(options, typed ?? '') : []
  useEffect(() => list.current?.children[active]?.scrollIntoView({ block: 'nearest' }), [active, isOpen])
  const at = shown[active]?.id
  useEffect(() => void onMove(at === chosen ? undefined : at), [at, chosen])

  const open = () => {
    setOpen(true)
    setActive(options.findIndex(option => option.id === chosen))
  }
  const close = () => {
    setOpen(false)
    setTyped(undefined)
  }
  async function choose({ id, label }: Option) {
    setOpen(false)
    setTyped(label)
    await onChoose(id)
    setTyped(now => (now === label ? undefined : now))
  }
  function onKeyDown(event: KeyboardEvent) {
    const { key, altKey } = event
    const move = moves[key]
    const option = shown[active]
    if (key === 'Escape' || (altKey && key === 'ArrowUp')) close()
    else if (key === 'Enter' && option !== undefined) choose(option)
    else if (move === undefined) return
    else if (!isOpen) open()
    else setActive(Math.min(Math.max(active + move, 0), shown.length - 1))
    event.preventDefault()
  }
  return (
    <div class="combobox">
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={`${id}list`}
        aria-autocomplete="list"
        aria-activedescendant={shown[active] && `${id}${active}`}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={typed ?? value}
        onKeyDown={onKeyDown}
        onClick={event => {
          event.currentTarget.select()
          open()
        }}
        onBlur={close}
        onInput={event => {
          const text = event.currentTarget.value
          setOpen(true)
          setTyped(text)
          setActive(0)
          say(counted('found', found(options, text).length))
        }}
      />
      {isOpen && (
        <div role="listbox" id={`${id}list`} aria-label={label} ref={list}>
          {shown.map((option, index) => (
            // biome-ignore lint/a11y: focus and keys stay in the text field
            <div
              key={option.id}
              role="option"
              id={`${id}${index}`}
              aria-selected={option.id === chosen}
              class={index === active ? 'active' : ''}
              onMouseDown={event => event.preventDefault()}
              onMouseMove={() => setActive(index)}
              onClick={() => choose(option)}
            >
              <strong>{option.label}</strong> {option.mark && <span class="mark">{option.mark}</span>}
              {option.detail !== '' && <small>{option.detail}</small>}
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
