import { describe, expect, it } from 'vitest'
import { draftOfFile } from '../../../support/drafts.ts'

const drafted = (document: object, name = 'board.json') => draftOfFile(name, JSON.stringify(document))

const card = (id: number, title: string) => ({ id, title, duedate: null, description: '' })

describe('draft for a document with several lists', () => {
  it('the draft for a document asks which list its rows are, with the count and an example of each', async () => {
    const { text, notes, mapping } = await drafted({
      name: 'Launch',
      lists: ['To do', 'Doing', 'Done'].map((name, at) => ({ id: `l${at}`, name })),
      cards: [
        { id: 'c1', name: 'Paint', idList: 'l1' },
        { id: 'c2', name: 'Sweep', idList: 'l2' },
      ],
    })
    expect(mapping).toMatchObject({
      record: 'task',
      source: { rows: 'cards' },
      body: { name: { from: 'name' } },
    })
    expect(notes).toContain(
      '? Which list of the document are the rows? This draft is for "cards" (2 items, such as "Paint"). Others are "lists" (3 items, such as "To do"). One of them is drafted with:',
    )
    expect(text).toMatch(/^ *# rowlift init .*board\.json"? --rows lists$/m)
  })

  it.each([
    [
      'contacts',
      {
        etiketten: [1, 2, 3, 4].map(id => ({ id, name: `E${id}` })),
        personen: [
          { vorname: 'Änne', nachname: 'Groß', telefon: '+49 30 901820' },
          { vorname: 'Jörg', nachname: 'Süß', telefon: '+49 30 901821' },
        ],
      },
      'personen',
    ],
    [
      'tasks',
      {
        quadros: [1, 2, 3].map(id => ({ id, nome: `Quadro ${id}` })),
        tarefas: [
          { id: 7, título: 'Pintar a cerca', vencimento: '2026-03-01', responsável: 'Ana Sá' },
          { id: 8, título: 'Cortar a relva', vencimento: '2026-03-09', responsável: 'Rui Sá' },
        ],
      },
      'tarefas',
    ],
    [
      'tasks',
      {
        members: [1, 2, 3].map(id => ({ id, fullName: `Ada Stone ${id}`, email: `a${id}@example.com` })),
        tâches: [{ titre: 'Peindre le mur', échéance: '2026-03-01', priorité: 'haute' }],
      },
      'tâches',
    ],
  ])('the draft for a document reads the list with the columns of %s', async (kind, document, rows) => {
    const { mapping } = await drafted(document, 'a.json')
    expect(mapping).toMatchObject({ record: kind.replace(/s$/, ''), source: { rows } })
  })

  it('the draft for a document reads objects that are alike by whatever keys', async () => {
    const people = ['Ada Stone', 'Bob Fox', 'Cem Aksoy'].map(name => [name, { name, tags: [], role: 'Cook' }])
    const { mapping } = await drafted(Object.fromEntries(people), 'team.json')
    expect(mapping).toMatchObject({
      record: 'contact',
      source: { rows: '*' },
      body: { name: { from: 'name' } },
    })
  })

  it('the draft for a document reads its list beside objects that are alike', async () => {
    const person = (name: string) => ({ name, email: `${name.toLowerCase()}@example.com` })
    const [author, owner, editor] = ['Ada', 'Bob', 'Cem'].map(person)
    const tasks = [{ id: 1, title: 'Paint the fence', due: '2026-03-01' }]
    const { mapping } = await drafted({ author, owner, editor, tasks }, 'plan.json')
    expect(mapping).toMatchObject({ record: 'task', source: { rows: 'tasks' } })
  })

  it('the draft for a document reads lists under ids as one, and has no question about them', async () => {
    const stack = (...cards: object[]) => ({ title: 'Offen', cards })
    const { mapping, text, counts } = await drafted({
      boards: {
        '189': {
          title: 'Garten',
          stacks: { '61': stack(card(1, 'Zaun streichen')), '62': stack(card(2, 'Laub'), card(3, 'Rasen')) },
        },
      },
    })
    expect(mapping).toMatchObject({ record: 'task', source: { rows: 'boards.*.stacks.*.cards' } })
    expect(counts).toEqual({ rows: 3, refused: 0 })
    expect(text).not.toContain('# ?')
  })

  it.each(['stacks', 'lists', 'columns'])(
    'the draft for a document reads the cards in the %s of a board',
    async list => {
      const columns = [
        { id: 5, title: 'Offen', cards: [card(9, 'Zaun'), card(10, 'Rasen')] },
        { id: 6, title: 'Fertig', cards: [card(11, 'Laub')] },
      ]
      const { mapping, counts } = await drafted([{ id: 1, title: 'Garten', [list]: columns }])
      expect(mapping).toMatchObject({
        record: 'task',
        source: { rows: `${list}.cards` },
        body: { name: { from: 'title' } },
      })
      expect(counts.rows).toBe(3)
    },
  )

  it('the draft for a document tells lists of labels and the like without a question', async () => {
    const { text, notes, mapping } = await drafted({
      labels: [{ id: 1, name: 'red' }],
      tasks: [
        { id: 7, title: 'Paint the fence', due: '2026-03-01' },
        { id: 8, title: 'Sweep the floor', due: '2026-03-09' },
      ],
    })
    expect(mapping.source).toEqual({ rows: 'tasks' })
    expect(text).not.toContain('# ?')
    expect(notes).toContain('Others are "labels" (1 item, such as "red").')
  })
})
