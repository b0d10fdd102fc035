import {
  type ArrivedCall,
  type Reaction,
  type Service,
  type ServiceOptions,
  startService,
} from './service.ts'

/** A service that refuses, and remembers, a body that names a record which it has not made. */
export interface CheckingService extends Service {
  /** The names in such bodies. */
  readonly violations: readonly string[]
}

/** See {@link startService}; records of the `known` ids were there before. */
export async function startCheckingService(
  { react = () => 'create', ...options }: ServiceOptions = {},
  known: readonly string[] = [],
): Promise<CheckingService> {
  const violations: string[] = []
  const ids = new Set(known)
  let counted = 0
  const isThere = (id: string) => {
    for (; counted < service.made.length; counted++) ids.add(service.made[counted]?.recordId ?? '')
    return ids.has(id)
  }
  const service: Service = await startService({
    ...options,
    react: (attempt, call): Reaction => {
      if (referencesIn(call.body).every(isThere)) return react(attempt, call)
      violations.push(String(call.body.name))
      return { answer: 422, body: '{"error":"no such record"}' }
    },
  })
  return { ...service, violations }
}

/** Every record_id that a body names, however deep. */
function referencesIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([field, value]) =>
    field === 'record_id' ? [String(value)] : referencesIn(value),
  )
}

/** The id that the service gave to the record of a name. */
export const idOf = ({ made }: Service, name: string): string | undefined =>
  made.find(record => record.name === name)?.recordId

/** The last body that arrived under a name. */
export const bodyOf = ({ calls }: Service, name: string): ArrivedCall['body'] | undefined =>
  calls.findLast(call => call.body.name === name)?.body

/** For the name of each record that was made, the name of its parent; undefined for one without. */
export function parentsIn(service: Service): Readonly<Record<string, string | undefined>> {
  const names = new Map(service.made.map(({ name, recordId }) => [recordId, name]))
  const bodies = new Map(service.calls.map(({ body }) => [String(body.name), body]))
  return Object.fromEntries(
    service.made.map(({ name }) => {
      const { parent } = (bodies.get(name) ?? {}) as { parent?: { record_id: string } }
      return [name, parent && names.get(parent.record_id)]
    }),
  )
}
