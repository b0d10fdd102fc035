import { useEffect, useRef, useState } from 'preact/hooks'
import { useView } from './app.ts'
import { Button } from './parts.tsx'
import { text } from './texts.ts'

/** The mapping as it stands in its file, with the lines that the last edit changed. It is edited here as in an editor. */
export function YamlDrawer() {
  const [view, edit] = useView('mapping', {})
  /** What the person made of the text of a version. */
  const [draft, setDraft] = useState<{ readonly text: string; readonly version: string }>()
  const area = useRef<HTMLTextAreaElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const shown = draft?.text ?? view?.text ?? ''
  const isConflict =
    draft !== undefined && view !== undefined && draft.version !== view.version && draft.text !== view.text
  const canSave = draft !== undefined && !isConflict
  const changed = (draft === undefined && view?.changed) || []
  async function save() {
    const saved = canSave ? await edit('save', { text: draft.text }) : undefined
    if (saved !== undefined)
      setDraft(now => (now === undefined || now === draft ? undefined : { ...now, version: saved.version }))
  }
  const goOn = (now?: typeof draft) => {
    setDraft(now)
    area.current?.focus()
  }
  return (
    <aside class="drawer" id="drawer" aria-labelledby="drawer-title">
      <h2 id="drawer-title" ref={heading} tabIndex={-1}>
        {view?.name}
      </h2>
      {isConflict && (
        <div class="conflict" role="alert">
          <p>{text('yaml_conflict')}</p>
          <Button label={text('keep_mine')} onClick={() => goOn({ ...draft, version: view.version })} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
          <pre tabIndex={0}>{view.text}</pre>
        </div>
      )}
      <p id="drawer-changed">
        {changed[0] !== undefined && text('changed', { count: changed.length, first: changed[0] })}
      </p>
      <div class="yaml">
        <pre aria-hidden="true">
          {shown.split('\n').map((line, index) => (
            <span key={index} class={changed.includes(index + 1) ? 'changed' : ''}>
              {line}
              {'\n'}
            </span>
          ))}
        </pre>
        <textarea
          ref={area}
          aria-label={text('yaml_text', { name: view?.name ?? '' })}
          aria-describedby="drawer-changed"
          spellcheck={false}
          wrap="off"
          value={shown}
          onInput={event => {
            const { value } = event.currentTarget
            if (view) setDraft(now => ({ version: now?.version ?? view.version, text: value }))
          }}
          onKeyDown={event => {
            if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            void save()
          }}
        />
      </div>
      <p>
        <Button label={text('save')} class="main" isOff={!canSave} onClick={save} />{' '}
        {draft !== undefined && <Button label={text('discard')} onClick={() => goOn()} />}
      </p>
    </aside>
  )
}
