import type { RecordType } from '../../records/kinds.ts'
import { Column } from './column.ts'
import { areOrganizations, placesAndPhones } from './contact-columns.ts'
import { contactParts } from './contact-parts.ts'
import { contactWords } from './contact-words.ts'
import type { RowFacts, SourceFacts, Wishes } from './facts.ts'
import { keyLines } from './key.ts'
import { linesOf, type Part } from './lines.ts'
import { lookupLines } from './lookup-lines.ts'
import { matched } from './match.ts'
import { recordKind } from './record-kind.ts'
import type { Distrusted } from './rules.ts'
import { sourceParts } from './source-part.ts'
import { taskParts } from './task-parts.ts'
import { taskWords } from './task-words.ts'

/** Everything that was found of a source. */
export interface Found {
  readonly source: SourceFacts
  readonly rows: RowFacts
  readonly columns: readonly Column[]
  readonly wishes: Wishes
  /** The line of the header; undefined where there is none. */
  readonly headerLine: number | undefined
}

/** A mapping whose columns can all be named, with the columns that stand in comments as questions. */
export interface Composed {
  readonly lines: readonly string[]
  readonly asked: ReadonlySet<string>
}

/** Columns that a rule can read: their name survives the trimming, and no objects stand in them. */
const canBeRead = ({ name, hasObjects }: Column) =>
  !hasObjects && name === name.trim() && name !== 'rowlift_key'

/** Composes a mapping for a file of no known product. */
export function compose({ source, rows, columns: all, wishes }: Found, distrusted: Distrusted): Composed {
  const readable = all.filter(canBeRead)
  const columns = readable.length > 0 ? readable : [nameless(source)]
  const contact = matched(columns, contactWords)
  const task = matched(columns, taskWords)
  const record = wishes.record ?? recordKind(columns, contact, task)
  const body =
    record === 'contact'
      ? contactParts({ columns, matches: contact, facts: rows, distrusted })
      : taskParts({ columns, matches: task, facts: rows, distrusted })
  const isOrganizations = record === 'contact' && areOrganizations({ columns, matches: contact })
  return {
    lines: [
      ...recordLines(record, wishes.record !== undefined, isOrganizations),
      '',
      ...keyLines(columns, record, rows, placesAndPhones({ columns, matches: contact })),
      ...blankBefore(linesOf(sourceParts(source, rows))),
      ...lookupLines(body),
      '',
      'body:',
      ...linesOf(body, '  '),
      ...customField(record),
    ],
    asked: new Set(body.flatMap(asked)),
  }
}

/** Where no column has a name that a rule can say: the first one of CSV, or a word to put right. */
const nameless = ({ format }: SourceFacts) => {
  const column = new Column(format === 'csv' ? '' : 'COLUMN')
  column.isList = true
  return column
}

const blankBefore = (lines: readonly string[]) => (lines.length === 0 ? [] : ['', ...lines])

function recordLines(record: RecordType, isWished: boolean, isOrganizations: boolean): string[] {
  const other = record === 'contact' ? 'task' : 'contact'
  return [
    ...(isWished
      ? []
      : [
          `# The columns are those of ${isOrganizations ? 'organizations' : `${record}s`}; "rowlift init --record ${other}" drafts ${other}s instead.`,
        ]),
    `record: ${record}`,
    ...(record === 'contact'
      ? [
          '# With use_created: true the service returns a contact that it takes for the same instead of making a second one.',
          '# use_created: true',
        ]
      : []),
  ]
}

const customField = (record: RecordType): string[] => [
  `  # A custom field of the ${record} takes its value by the id that the service gave the field:`,
  '  # custom_field_values:',
  '  #   - custom_field_id: 00000000-0000-0000-0000-000000000000',
  '  #     text_value: { from: COLUMN }',
]

/** The columns of parts that stand in comments. */
function asked({ isOff, value }: Part): string[] {
  if (isOff) return namesIn(value)
  return Array.isArray(value) ? value.flatMap(part => (isPart(part) ? asked(part) : [])) : []
}

const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && 'isOff' in value

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(namesIn)
  return Object.entries(value).flatMap(([key, part]) =>
    (key === 'from' || key === 'join') && (typeof part === 'string' || Array.isArray(part))
      ? [part].flat().map(String)
      : namesIn(part),
  )
}
