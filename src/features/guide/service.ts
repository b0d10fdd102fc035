import type { SettingSources } from '../../settings/settings.ts'
import type { ServiceState } from './api.ts'

/** The service that jobs send to: that of the settings or the page, or the sandbox of practice. */
export class Service {
  readonly layers: SettingSources

  constructor(layers: SettingSources) {
    this.layers = layers
  }

  get state(): ServiceState {
    return { practice: true, baseUrl: null, organizationId: null, token: 'none' }
  }

  async close(): Promise<void> {}
}
