import { useApp } from './app.ts'
import { text } from './texts.ts'

/** Where records go, as a sentence names it. */
export function useDestination(): string {
  const { practice, organizationId, baseUrl } = useApp().state.service
  if (practice) return text('to_practice')
  const host = baseUrl === null ? '?' : new URL(baseUrl).host
  return text('to_service', { organization: `${organizationId ?? '?'}`, host })
}
