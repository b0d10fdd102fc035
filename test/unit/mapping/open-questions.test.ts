import fc from 'fast-check'
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { openQuestions } from '../../../src/mapping/open-questions.ts'

const mapping = `# ? Is this one?
record: task   # ? not this one, behind a value
body:
  # ? Which users are the people of "Owner"? They need a table of users: put this in, and "users" of the lookups
  # above.
  # assigned_user: { user_id: { from: Owner, lookup: users } }
  name: |
    # ? not this one, in a block
  description: 'text
    # ? nor this one, in quotes'
  tags: [
    # ? Which tags?
    a]
# ?Is a blank needed?
`

it('questions are comment lines that begin with the mark, with the lines that go on with them', () => {
  expect(openQuestions('m.yaml', mapping)).toEqual([
    { place: 'm.yaml:1', text: 'Is this one?' },
    {
      place: 'm.yaml:4',
      text: 'Which users are the people of "Owner"? They need a table of users: put this in, and "users" of the lookups above.',
    },
    { place: 'm.yaml:12', text: 'Which tags?' },
    { place: 'm.yaml:14', text: 'Is a blank needed?' },
  ])
})

it('questions are found with CRLF line ends, and in JSON there are none', () => {
  expect(openQuestions('m.yaml', mapping.replaceAll('\n', '\r\n')).map(({ place }) => place)).toEqual(
    openQuestions('m.yaml', mapping).map(({ place }) => place),
  )
  expect(openQuestions('m.json', '{ "a": "# ? no",\n"b": "# ?" }')).toEqual([])
})

it('no value of a mapping is a question, however YAML writes it', () => {
  const text = fc.array(fc.constantFrom('# ? x', 'a', '\n', ' ', '|', '"', "'", ':'), { maxLength: 12 })
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string(),
        text.map(parts => parts.join('')),
      ),
      value => {
        expect(openQuestions('m.yaml', stringify(value))).toEqual([])
      },
    ),
  )
})
