/** An option of a command, as help shows it. */
export interface Option {
  readonly type: 'string' | 'boolean' | 'number'
  /** One letter. */
  readonly alias?: string
  readonly describe: string
  /** Whether its value is the path of a file. */
  readonly isPath?: true
  /** The heading under which help shows it. */
  readonly group?: string
  readonly default?: unknown
  /** What help says where the default is no constant. */
  readonly defaultDescription?: string
}

export type Options = Readonly<Record<string, Option>>
