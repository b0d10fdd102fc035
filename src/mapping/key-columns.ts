import { mappingFaults } from '../model/mapping-faults.ts'
import type { LocatedYaml } from './located-yaml.ts'

/**
 * The columns of `key:`. Where columns are optional, a header may lack them all; then rows are named by their content
 * (DESIGN 3), and so must those of every other source be.
 */
export class KeyColumns {
  readonly #named: readonly string[]
  #first: { readonly source: string; readonly isKeyless: boolean } | undefined

  constructor(named: readonly string[]) {
    this.#named = named
  }

  /** The columns that name rows; empty where there are none. */
  get names(): readonly string[] {
    return this.#first?.isKeyless ? [] : this.#named
  }

  /** Whether the mapping names key columns that the sources do not have. */
  get isKeyless(): boolean {
    return this.#first?.isKeyless ?? false
  }

  /** Notes a fault where a header has some of the columns and lacks others, or differs in that from another source. */
  look(header: readonly string[], source: string, yaml: LocatedYaml): void {
    const lacking = this.#named.filter(name => !header.includes(name))
    const [lacked] = lacking
    this.#first ??= { source, isKeyless: lacked !== undefined }
    if (lacked !== undefined && lacking.length < this.#named.length)
      yaml.fault(['key'], mappingFaults.partOfKey(lacked, source))
    else if ((lacked !== undefined) !== this.#first.isKeyless)
      yaml.fault(['key'], mappingFaults.keyOfOne(this.#named.join(', '), this.#first.source, source))
  }
}
