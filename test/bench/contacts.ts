import { open } from 'node:fs/promises'

const columns = [
  ...['First Name', 'Last Name', 'Job Title', 'Email', 'Second Email', 'Phones'],
  ...['Street', 'City', 'Country', 'Website', 'LinkedIn', 'Notes'],
]
const firstNames = ['Ada', 'Björn', 'Chloë', 'Dan', 'Édith', 'Fay', 'Grace', 'Håkon', 'Imogen', 'José', 'Kit']
const lastNames = ['Lovelace', 'Åström', 'Brönte', "O'Hara", 'Nuñez', 'Hartwell', 'Øvergård', 'Smith']
const jobs = ['Analyst', '"Head of Sales, North"', 'Clerk', '', 'Engineer']
const cities = ['London', 'Leeds', 'Århus', 'Köln', '']
const notes = [
  '',
  'Prefers letters.',
  '"Met at the fair,\nasked for a call ""in spring""."',
  'Calls in the morning.',
  '',
]

/** Of a list that is gone through again and again; lists of different lengths meet in ever new pairs. */
const nth = (list: readonly string[], n: number) => list[n % list.length] ?? ''

/** How phone numbers are written: with the code of their country, or as they are dialled within it. */
export type PhoneStyle = 'international' | 'national'

const prefixes = { international: '+44 ', national: '0' } as const

/** The n-th contact, always the same one: quoted, multi-line and non-ASCII cells among plain ones, each e-mail once. */
function contactLine(n: number, style: PhoneStyle): string {
  const digits = String(n % 1000).padStart(3, '0')
  const [london, mobile] = ['20 7946 0', '7700 900'].map(part => `${prefixes[style]}${part}${digits}`)
  const phones = [london ?? '', mobile ?? '', `${london}; ${mobile}`, '']
  const cells = [
    ...[nth(firstNames, n), nth(lastNames, n), nth(jobs, n), `contact.${n}@example.com`],
    ...[n % 4 === 0 ? `c${n}@example.org` : '', nth(phones, n)],
    ...[`${(n % 90) + 1} High Street`, nth(cities, n), 'United Kingdom'],
    ...[
      n % 3 === 0 ? 'https://www.example.com/about' : '',
      n % 6 === 0 ? `linkedin.com/in/c${n}` : '',
      nth(notes, n),
    ],
  ]
  return `${cells.join(',')}\n`
}

const linesAtOnce = 5_000

/** Writes a CSV file of so many contacts. */
export async function writeContacts(path: string, rows: number, style: PhoneStyle): Promise<void> {
  const file = await open(path, 'w')
  try {
    await file.write(`${columns.join(',')}\n`)
    for (let first = 1; first <= rows; first += linesAtOnce) {
      const lines = Math.min(linesAtOnce, rows - first + 1)
      await file.write(Array.from({ length: lines }, (_, at) => contactLine(first + at, style)).join(''))
    }
  } finally {
    await file.close()
  }
}
