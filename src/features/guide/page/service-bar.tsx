import { useApp } from './app.ts'
import { text } from './texts.ts'

/** Says at all times where records go. */
export function ServiceBar() {
  const { practice, organizationId, baseUrl } = useApp().state.service
  const host = baseUrl === null ? '?' : new URL(baseUrl).host
  return (
    <p class={practice ? 'bar practice' : 'bar'}>
      {practice ? text('practice') : text('sends_to', { organization: `${organizationId ?? '?'}`, host })}
    </p>
  )
}
