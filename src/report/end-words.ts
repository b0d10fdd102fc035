/** What a command came to, in words for people and in fields for programs. */
export interface EndWords {
  /** What stood in rows is shown on a terminal only, for logs are kept and passed on. */
  readonly text: (showsCells: boolean) => string
  readonly fields: () => object
  /** Why it stopped early; a person who asked for that needs no alarm. */
  readonly stopped: { readonly words: string; readonly wasAsked: boolean } | undefined
}
