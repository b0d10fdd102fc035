import { type Refusal, refusal } from './answer.ts'

/** The two kinds of record that can be created. */
export type RecordType = 'contact' | 'task'

/** What the request line of a create call says. */
export interface CreateTarget {
  kind: 'target'
  recordType: RecordType
  organizationId: number
  useCreated: boolean
}

/**
 * Reads method and address of a create call, `POST /v1.0/record/{contact|task}/create/{organization_id}` (interface 4).
 * @param url path and query, as in the request line
 * @returns the target, or a refusal: 404 for another path, version or organization, 405 for another method, 400 for
 * a query parameter that the interface does not name
 */
export function createTarget(method: string, url: string): CreateTarget | Refusal {
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const parts = /^\/v([^/]*)\/record\/(contact|task)\/create\/([^/]*)$/.exec(path)
  const [, version, recordType, organization = ''] = parts ?? []
  if (recordType !== 'contact' && recordType !== 'task') return refusal(404, `there is nothing at ${path}`)
  if (version !== '1.0') return refusal(404, `there is no API version ${version}, only 1.0`)
  const organizationId = /^[1-9]\d*$/.test(organization) ? Number(organization) : Number.NaN
  if (!Number.isSafeInteger(organizationId)) return refusal(404, `there is no organization ${organization}`)
  if (method !== 'POST') return refusal(405, `a record is created with POST, not ${method}`)
  const useCreated = useCreatedOf(recordType, new URLSearchParams(query))
  if (typeof useCreated !== 'boolean') return useCreated
  return { kind: 'target', recordType, organizationId, useCreated }
}

/** Absent means false: interface 4.1 does not give the default. */
function useCreatedOf(recordType: RecordType, query: URLSearchParams): boolean | Refusal {
  for (const name of query.keys()) {
    if (recordType === 'task' || name !== 'use_created')
      return refusal(400, `unknown query parameter ${name}`)
  }
  const values = query.getAll('use_created')
  const [value] = values
  if (value === undefined) return false
  if (values.length > 1) return refusal(400, 'use_created is given more than once')
  if (value !== 'true' && value !== 'false')
    return refusal(400, `use_created is true or false, not "${value}"`)
  return value === 'true'
}
