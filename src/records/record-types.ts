/** The names of the kinds of records, which help and completion know without loading their schemas. The first is the usual one. */
export const recordTypes = ['contact', 'task'] as const
