// What several calls of the page take and answer. Types alone.
export interface Of {
  /** The source: one of `State.files`. */
  readonly file: string
}

export interface Seen extends Of {
  /** The edit is refused with `conflict` if the mapping has another text by now. */
  readonly version: string
}

/** The answer of a call that was refused: with status 409 for `conflict`, 403 for what was not opened, 500 for a defect, else 400. */
export interface Refused {
  /** `conflict`, `busy`, or the code of an error of rowlift. */
  readonly code: string
  /** A sentence as the command would print it. */
  readonly text: string
}
