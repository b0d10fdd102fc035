import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { mappingsIn, root } from './pages.ts'
import { escaped, workbookOf } from './sheets.ts'

const sample = (path: string) => readFileSync(`${root}samples/${path}`)

/** The rows of CSV text as a sheet. */
const sheetOfCsv = (csv: string | Buffer): string =>
  parse(csv, { relax_column_count: true })
    .map((cells: string[]) => `<row>${cells.map(cellOf).join('')}</row>`)
    .join('')

const cellOf = (text: string) => `<c t="inlineStr"><is><t>${escaped(text)}</t></is></c>`

const tasks =
  'Task ID,Name,Due\n4711,Call Ada,2026-12-24\n4712,Call Bob,2026-12-31\n4713,Measure it,\n4714,Order it,\n'

/** The files that the commands of the pages name, as small as can be. */
export const pageFiles: Readonly<Record<string, string | Buffer>> = {
  'contacts.csv': `First Name,Last Name,Email,Job Title,Phones
Ada,Lovelace,ada@example.com,Analyst,020 7946 0199
Bob,Byron,nope,,
Cy,Stone,cy@example.com,,020 7946 0101
`,
  'contacts.yaml': mappingsIn('README.md')[0] ?? '',
  'contacts.settings.yaml':
    'base-url: https://api.example.com\norganization-id: 42\nmapping: contacts.yaml\nresults: contacts.results.ndjson\n',
  'service.yaml': 'base-url: https://api.example.com\norganization-id: 42\n',
  'tasks.csv': tasks,
  'tasks.yaml': `record: task
key: Task ID
body: { name: { from: Name, required: true }, date_info: { due_date: { from: Due, as: date, format: yyyy-MM-dd } } }
`,
  'contacts.vcf': sample('presets/vcard.vcf'),
  'tasks.ics': sample('presets/icalendar.ics'),
  'plan.xlsx': workbookOf({ sheets: { Tasks: sheetOfCsv(sample('presets/planner.csv')) } }),
  'book.xlsx': workbookOf({ sheets: { Notes: '', Tasks: sheetOfCsv(tasks) } }),
}

/** The files of a plan, those of samples/migration. */
export const planFiles: Readonly<Record<string, Buffer>> = Object.fromEntries(
  [
    'companies.csv',
    'people.csv',
    'tasks.csv',
    'users.csv',
    'organizations.yaml',
    'people.yaml',
    'tasks.yaml',
  ].map(name => [name, sample(`migration/${name}`)]),
)

/** Contacts of whom the second has no e-mail address. */
export const fourContacts = `First Name,Last Name,Email,Job Title,Phones
Ada,Lovelace,ada@example.com,Analyst,020 7946 0199
Bob,Byron,nope,,
Cy,Stone,cy@example.com,,020 7946 0101
Di,Wood,di@example.com,,
Ed,Hart,ed@example.com,,
`

/** The card that the page about inputs shows as a row. */
export const card = `BEGIN:VCARD
VERSION:3.0
N:Stone;Ada;Grace,Maud;Dr.;
FN:Dr. Ada Grace Maud Stone
ORG:Isis Boatyard;Sails
EMAIL;TYPE=internet,work,pref:ada@example.com
EMAIL:ada@home.example.com
TEL;TYPE=cell:+44 20 7946 0101
ADR;TYPE=work:;;4 Weir Lane;Oxford;;OX1 0ZZ;UK
BDAY:1985-04-12
UID:0a1b2c3d
END:VCARD
`

/** The task that it shows as a row. */
export const todo = `BEGIN:VCALENDAR
VERSION:2.0
X-WR-CALNAME:Harbour move
BEGIN:VTODO
UID:5b1c6a52
SUMMARY:Paint the counter
DESCRIPTION:Two coats\\, wait between them.
STATUS:IN-PROCESS
PERCENT-COMPLETE:40
PRIORITY:1
DTSTART;TZID=Europe/Berlin:20261005T090000
DUE;VALUE=DATE:20261009
CATEGORIES:Shop,Blue\\, light
ORGANIZER;CN=Ada Stone:mailto:ada@example.com
ATTENDEE;CN=Noor Haddad:mailto:noor@example.com
RELATED-TO:5b1c6a51
RELATED-TO;RELTYPE=CHILD:5b1c6a53
X-APPLE-SORT-ORDER:7
END:VTODO
END:VCALENDAR
`
