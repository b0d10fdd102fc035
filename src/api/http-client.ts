import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../model/clock.ts'
import { kinds, type RecordType } from '../records/kinds.ts'

export interface ClientSettings {
  /** The address of the create call, from createUrl. */
  readonly url: string
  readonly version: string
  /** The longest that one attempt may take, from its start to the last byte of the answer. */
  readonly timeoutMs: number
  readonly proxy: URL | undefined
  readonly clock: Clock
}

export interface StartedAttempt {
  readonly token: string
  /** Checked when a new connection is ready: to open one may take longer than the call may wait. */
  isAllowed(): boolean
  /** Resolves with whether to make the next attempt now. */
  end(end: AttemptEnd): Promise<boolean>
}

export interface AttemptEnd {
  /** False only if it is certain that no byte of the request left. */
  readonly sent: boolean
  /** The part of the answer that came; undefined if its head did not. */
  readonly answer: HttpAnswer | undefined
  /** The code of the error that ended the attempt; empty if the answer is whole. */
  readonly reason: string
  /** The answer of a proxy that opened no tunnel. */
  readonly proxyStatus?: number | undefined
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Pick<IncomingHttpHeaders, 'content-encoding' | 'date' | 'location' | 'retry-after'>
  readonly text: string
  readonly isWhole: boolean
}

/** The address of a create call (interface 4): `{base_url}/v{api-version}/record/{type}/create/{organization_id}`. */
export function createUrl(
  baseUrl: string,
  apiVersion: string,
  record: RecordType,
  organizationId: number,
  useCreated: boolean | undefined,
): string {
  const path = `v${encodeURIComponent(apiVersion)}/${kinds[record].path}/${organizationId}`
  return `${baseUrl.replace(/\/+$/, '')}/${path}${useCreated === undefined ? '' : `?use_created=${useCreated}`}`
}
