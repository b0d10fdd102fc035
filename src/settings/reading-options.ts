import type { Options } from './option-values.ts'
import { flag, importOptions } from './options.ts'

const { format, delimiter, encoding } = importOptions
const detected = { defaultText: 'detected' } as const
export const json = { ...flag, text: 'Print one JSON object, for programs' } as const

/** How a file is read that nobody has described. */
export const reading = {
  format: { ...format, ...detected },
  sheet: {
    kind: 'text',
    placeholder: 'NAME',
    text: 'The sheet of an Excel file, by its name or number',
    defaultText: 'the first one',
  },
  rows: {
    kind: 'text',
    placeholder: 'PATH',
    text: 'Where the list of rows is in a JSON document, with dots between keys',
    ...detected,
  },
  delimiter: { ...delimiter, ...detected },
  encoding: { ...encoding, ...detected },
} as const satisfies Options

/** Fields that are compared of an export of the service. */
export const exportReading = {
  id: { kind: 'text', placeholder: 'COLUMN', text: 'The column of the export with the ids of the records' },
  match: {
    kind: 'pairs',
    placeholder: 'COLUMN=PATH',
    text: 'A column of the export and the field of the body that it shows, such as `Email=emails.0.email`; once or several times',
  },
  country: { kind: 'text', placeholder: 'CODE', text: 'Of phone numbers without one in the export: GB' },
  ...reading,
} as const satisfies Options
