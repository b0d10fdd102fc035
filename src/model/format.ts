export const formats = ['csv', 'ndjson', 'xlsx', 'json', 'vcard', 'icalendar'] as const
export type Format = (typeof formats)[number]

export const isFormat = (name: string): name is Format => formats.some(format => format === name)
