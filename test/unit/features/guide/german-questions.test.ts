import { expect, it } from 'vitest'
import { speaking } from '../../../../src/features/guide/language.ts'
import { guideOf } from '../../../support/guide-folder.ts'

const rowsOf = (header: string, ...rows: readonly string[]) => `${[header, ...rows].join('\n')}\n`

const files = {
  'dates.csv': rowsOf('Task,Due', 'Write,03/04/2026', 'Read,05/06/2026', 'Look,07/08/2026'),
  'phones.csv': rowsOf(
    'Name,Phone,Status',
    'Ada Stone,+49 30 123456,active',
    'Bob Fox,030 7654321,inactive',
    'Cy Lee,+49 30 123459,active',
  ),
  'who.csv': rowsOf('Name,E-Mail,Aufgabe,Fällig', 'Ada,ada@example.com,Anrufen,2027-01-05'),
  'firms.csv': rowsOf('Name,Phone', 'Harbour Ltd,+44 20 7946 0101', 'Ada Stone,+44 20 7946 0102'),
  'things.csv': rowsOf('Ref,Note,Count', 'a1,red,3', 'a2,blue,4', 'a3,green,5'),
  'chores.csv': rowsOf('Buy milk', 'Call Bob', 'Water plants'),
  'jobs.csv': rowsOf('Task,Cost,E-Mail', 'Paint it,85.00,ada@example.com', 'Sweep it,40.00,bob@example.com'),
  'club.csv': rowsOf('Name,Especialidad', 'Ada Stone,Remo', 'Bob Fox,Vela', 'Cy Marsh,Natación'),
  'boats.csv': rowsOf('Name,Vereinsfunktion', 'Ada Stone,Kasse', 'Bob Fox,Vorstand', 'Cy Marsh,Kasse'),
  'lists.json': JSON.stringify({
    people: [{ name: 'Ada', email: 'ada@example.com' }],
    friends: [{ name: 'Bob', email: 'bob@example.com' }],
  }),
}

/** The questions of these files as pages of both languages show them. */
async function shown() {
  const { calls, sources } = await guideOf(files)
  const askedIn = (language: string) =>
    speaking(language, () => Promise.all(sources.map(file => calls.questions({ file }))))
  const [english = [], german = []] = await Promise.all(
    ['en', 'de-AT'].map(async language => (await askedIn(language)).flatMap(({ questions }) => questions)),
  )
  return english.map((question, at) => ({ question, own: german[at] }))
}

it('questions of drafts are there in German, with their columns and choices', async () => {
  const questions = await shown()
  expect(questions.length).toBeGreaterThan(5)
  for (const { question, own } of questions) {
    const labels = own?.choices.map(({ label }) => label) ?? []
    expect(own?.text, question.text).not.toBe(question.text)
    for (const [at, { label }] of question.choices.entries())
      expect(labels[at], question.text).not.toBe(label)
    expect([own?.text, ...labels].join()).not.toMatch(/[{}*]/)
  }
  const texts = questions.map(({ own }) => own?.text)
  expect(texts).toContain(
    'Steht in „Due“ der Tag oder der Monat zuerst? Bei manchen Werten ist beides möglich.',
  )
  expect(texts).toContain(
    'Manche Nummern in „Phone“ haben kein Land, alle anderen dasselbe. Sind auch sie aus Deutschland?',
  )
})

it('a choice that leaves a row out says so', async () => {
  const { calls } = await guideOf({ 'phones.csv': files['phones.csv'] })
  const { questions } = await calls.questions({ file: 'phones.csv' })
  const [choice] = questions.find(({ id }) => id === 'where')?.choices ?? []
  expect(choice?.effect).toMatchObject([{ row: 2, path: 'left_out', before: '', after: '✓' }])
})

it('a question that somebody edited is shown in their words', async () => {
  const own =
    'record: contact\nbody:\n  # ? Which one is it? Then put this in place of "name" below:\n  name: { from: Name }\n'
  const { calls } = await guideOf({ 'c.csv': 'Name\nAda\n', 'c.yaml': own })
  const { questions } = await speaking('de', () => calls.questions({ file: 'c.csv' }))
  expect(questions.map(({ text }) => text)).toEqual([
    'Diese Frage wurde in der Datei geändert: Which one is it?',
  ])
})
