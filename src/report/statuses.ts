/** What becomes of rows, as people read it, in the order in which they are counted. */
export const statuses = {
  valid: ['would be sent', ''],
  created: ['created', ''],
  existing: ['existing', 'the service had a similar contact'],
  done: ['left alone', 'have their record from an earlier run'],
  left_out: ['left out', 'by where'],
  duplicate: ['duplicate', 'another row of this import has the same key'],
  merged: ['merged', 'the service returned the record of another row, without their values'],
  invalid: ['invalid', 'not sent'],
  failed: ['failed', 'no record was made'],
  in_doubt: ['in doubt', 'sent, but no answer tells whether the record exists'],
  held: ['held in doubt', 'left in doubt by an earlier run'],
} as const satisfies Readonly<Record<string, readonly [word: string, note: string]>>

export type Status = keyof typeof statuses

export const allStatuses = Object.keys(statuses) as Status[]

export const statusWord = (status: Status): string => statuses[status][0]
