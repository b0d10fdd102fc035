/** The id that no record has: a dry run writes it for ids that a run would first have to make (DESIGN 1). */
export const noRecordId = '00000000-0000-0000-0000-000000000000'
