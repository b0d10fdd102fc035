import type { SettingSources } from '../../settings/settings.ts'

/** The service that jobs send to: that of the settings or the page, or the sandbox of practice. */
export class Service {
  readonly layers: SettingSources

  constructor(layers: SettingSources) {
    this.layers = layers
  }

  async close(): Promise<void> {}
}
