export const formats = ['csv', 'ndjson', 'xlsx', 'json', 'vcard', 'icalendar'] as const
export type Format = (typeof formats)[number]
