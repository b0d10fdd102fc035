import { logFormats, logLevels } from '../report/log-words.ts'

/** What options take that take one of a few words, or of many of which these are common. */
export const optionValues: Readonly<Record<string, readonly string[]>> = {
  delivery: ['at-most-once', 'at-least-once'],
  'in-doubt': ['hold', 'resend'],
  format: ['csv', 'ndjson'],
  record: ['contact', 'task'],
  encoding: [
    'utf-8',
    'utf-16le',
    'windows-1252',
    'iso-8859-1',
    'iso-8859-15',
    'macroman',
    'shift_jis',
    'gb18030',
  ],
  'log-level': logLevels,
  'log-format': logFormats,
}
