import { useState } from 'preact/hooks'
import { ask, useApp } from './app.ts'
import { Button, Dialog, Facts, Field, Form, Tick } from './parts.tsx'
import { text } from './texts.ts'

/** Where records go, in the middle of a sentence. */
export function useDestination(): string {
  const { practice, organizationId, baseUrl } = useApp().state.service
  if (practice) return text('to_practice')
  const host = baseUrl === null ? '?' : new URL(baseUrl).host
  return text('to_service', { organization: `${organizationId ?? '?'}`, host })
}

/** Says at all times where records go, and opens the dialog that changes it. */
export function ServiceBar() {
  const [isOpen, setOpen] = useState(false)
  const [url, setUrl] = useState<string>()
  const { practice } = useApp().state.service
  const where = useDestination()
  return (
    <section class={practice ? 'bar practice' : 'bar'} aria-label={text('where_to')}>
      <b>{practice ? text('practice') : text('sends_to', { where })}</b>
      <span class="buttons">
        <Button label={text('invite')} onClick={async () => setUrl((await ask('invite', {}))?.url)} />
        <Button label={text('change')} onClick={() => setOpen(true)} />
      </span>
      {url && (
        <Dialog title={text('invite')} onClose={() => setUrl(undefined)}>
          <p>{text('invite_help')}</p>
          <pre>{url}</pre>
        </Dialog>
      )}
      {isOpen && <ServiceDialog onClose={() => setOpen(false)} />}
    </section>
  )
}

function ServiceDialog({ onClose }: { readonly onClose: () => void }) {
  const { practice, baseUrl, organizationId, token } = useApp().state.service
  const [tested, setTested] = useState<readonly (readonly [mark: string, words: string])[]>([])

  /** The token is in its field until it is sent, and nowhere else. */
  const save = async (field: (name: string) => string, form: HTMLFormElement) => {
    for (const input of form.querySelectorAll<HTMLInputElement>('[type=password]')) input.value = ''
    const saved = await ask('service', {
      practice: field('practice') === 'yes',
      ...(field('baseUrl') && { baseUrl: field('baseUrl') }),
      ...(field('organization') && { organizationId: Number(field('organization')) }),
      ...(field('token') && { token: field('token') }),
    })
    return saved && text('saved')
  }
  const test = async () => {
    setTested([['…', text('testing')]])
    const probe = await ask('probe', {})
    setTested(probe?.lines.map(line => [line.isGood ? '✓' : '✗', line.text]) ?? [])
  }
  return (
    <Dialog title={text('where_to')} onClose={onClose}>
      <Form submit={text('save')} onSend={save}>
        <fieldset>
          <legend>{text('records_go')}</legend>
          <Tick type="radio" name="practice" value="yes" defaultChecked={practice} label={text('practice')} />
          <Tick type="radio" name="practice" value="no" defaultChecked={!practice} label={text('for_real')} />
        </fieldset>
        <Field name="baseUrl" label={text('base_url')} value={baseUrl ?? ''} />
        <Field
          name="organization"
          pattern="[0-9]+"
          label={text('organization')}
          value={`${organizationId ?? ''}`}
        />
        <Field name="token" type="password" label={text('token')} note={text(`token_${token}`)} />
      </Form>
      <Button label={text('test_way')} onClick={test} />
      <div role="status">
        <Facts facts={tested} />
      </div>
    </Dialog>
  )
}
