import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useApp } from './app.ts'
import { Button } from './parts.tsx'
import { serverLanguage, text } from './texts.ts'

/** A dialog over the page, which shows faults of calls, too. Its end puts the focus back to where it was. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const { faults } = useApp()
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={props.onClose}>
      <header>
        <h2 id={id}>{props.title}</h2>
        <Button onClick={() => dialog.current?.close()}>{text('close')}</Button>
      </header>
      <p role="alert" class="bad" lang={serverLanguage}>
        {faults.join(' ')}
      </p>
      {props.children}
    </dialog>
  )
}
