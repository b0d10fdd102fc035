import { describe, expect, it } from 'vitest'
import { content, draftFor, draftOfFile } from '../../../support/drafts.ts'

/** The draft for a file in CSV, without the blanks that set its lines in. */
const drafted = (text: string) => draftOfFile('export.csv', text.trim().replaceAll(/^ +/gm, ''))

describe('lines that are no rows', () => {
  it.each([
    [
      'totals and separators (German)',
      `Nr;Name;E-Mail;Beitrag
      1;Änne Groß;aenne@example.com;20
      ;;;
      2;Jörg Süß;joerg@example.com;30
      Summe;;;50`,
      { Name: { empty: false } },
      2,
    ],
    [
      'a header for each page (Portuguese)',
      `Nome,E-mail,Cidade
      Ana Sá,ana@example.com,Porto
      Nome,E-mail,Cidade
      Rui Melo,rui@example.com,Braga
      Nome,E-mail,Cidade
      Eva Reis,eva@example.com,Faro`,
      { Nome: { not: ['Nome'] } },
      3,
    ],
    [
      'a total and a header (French)',
      `Tâche,Échéance,Heures
      Peindre le mur,2026-03-01,4
      Total,,4
      Tâche,Échéance,Heures
      Couper le bois,2026-03-09,8
      Total,,8`,
      { Tâche: { not: ['Total', 'Tâche'] } },
      2,
    ],
  ])('lines that are no rows are left out by a condition: %s', async (_, text, where, rows) => {
    const { mapping, counts, notes } = await drafted(text)
    expect(mapping.where).toEqual(where)
    expect(counts).toEqual({ rows, refused: 0 })
    expect(notes).toContain('leaves out the lines above that are no rows, and none of')
  })

  it('lines that are no rows say nothing about the columns', async () => {
    const { mapping } = await drafted(`
      Mitgliedsnummer;Name;E-Mail;Eintritt
      A7;Änne Groß;aenne@example.com;2024-01-02
      Summe;;;
      A9;Jörg Süß;joerg@example.com;2024-03-04
      Summe;;;`)
    expect(mapping.key).toBe('Mitgliedsnummer')
  })

  it('lines that are no rows may be a table below the table, behind an empty line', async () => {
    const { mapping, counts } = await drafted(`
      Nome;E-mail;Cidade
      Ana Sá;ana@example.com;Faro
      Rui Melo;rui@example.com;Braga
      Eva Reis;eva@example.com;Porto

      Cidade;Número;
      Faro;1;
      Braga;1;`)
    expect(mapping).toMatchObject({ where: { Nome: { not: ['Cidade', 'Faro', 'Braga'] } }, key: 'E-mail' })
    expect(counts).toEqual({ rows: 3, refused: 0 })
  })

  it('lines that are no rows are told, with a condition by their own texts if nothing else tells them', async () => {
    const { mapping, notes } = await drafted(`
      Name,Email,Visits
      Ivy,,3
      ,rex@example.com,4
      Total,,7`)
    expect(mapping.where).toEqual({ Name: { not: ['Total'] } })
    expect(notes).toContain('a total, a legend or a footer seems to stand on line 4. Unless "where" below')
  })

  it.each([
    [
      'Spanish',
      `Tarea,Responsable,Fecha límite,Horas
      Cocina,,,
      Pintar la pared,ana@example.com,2026-03-01,4
      Limpiar el horno,rui@example.com,2026-03-02,2
      Jardín,,,
      Cortar el césped,ana@example.com,2026-03-09,8`,
      'Tarea: { not: [Cocina, Jardín] }',
    ],
    [
      'Polish',
      `Nazwisko;Imię;E-mail;Telefon
      Zarząd;;;
      Nowak;Anna;anna@example.com;+48 22 123 45 67
      Kowal;Jan;jan@example.com;+48 22 123 45 68
      Członkowie;;;
      Wójcik;Ewa;ewa@example.com;+48 22 123 45 69`,
      'Imię: { empty: false }',
    ],
  ])(
    'lines that fill the first cell alone may be titles: it asks, with a condition (%s)',
    async (_, text, condition) => {
      const { mapping, notes, text: draft } = await drafted(text)
      expect(mapping).not.toHaveProperty('where')
      expect(notes).toMatch(/\? 2 lines fill the first cell alone, such as ".*" in line \d\./)
      expect(draft).toContain(`# where: { ${condition} }`)
    },
  )

  it('lines that fill the first cell alone are left out together with separators, by one condition', async () => {
    const { mapping, text } = await drafted(`
      Name;Funktion;E-Mail
      VORSTAND;;
      Änne Groß;Vorsitz;aenne@example.com
      ;;
      BEIRAT;;
      Eva Krüger;Beirätin;eva@example.com
      Tim Lang;Beirat;tim@example.com`)
    expect(mapping).toMatchObject({ where: { Name: { empty: false } }, key: 'E-Mail' })
    expect(text).toContain('# where: { Name: { not: ["", VORSTAND, BEIRAT] } }')
  })

  it('lines that fill the first cell alone may be remarks below the table, and are rows if others are as empty', async () => {
    const table =
      'Nome,Cargo,E-mail,Cidade\nAna Sá,Chefe,ana@example.com,Faro\nRui Melo,Sócio,rui@example.com,Faro'
    expect((await drafted(`${table}\nTotal de clientes: 2,,,`)).notes).toContain(
      '? 1 line fills the first cell',
    )
    expect((await drafted(`${table}\nEva Reis,,,\nIvo Sá,,ivo@example.com,`)).notes).not.toContain(
      'first cell',
    )
  })

  it.each([
    ['commas', 'Id,Title,Due,Estimate,Notes\n1,Paint,2026-01-02\n2,Sweep,2026-01-03\n3,Mop,2026-01-04,2'],
    ['semicolons', 'Id;Aufgabe;Fällig;Aufwand;Notiz\n1;Streichen;2026-01-02\n2;Fegen;2026-01-03\n3;Wischen'],
  ])(
    'rows that lack their last cells are read for the draft, which asks to pad them: %s',
    async (_, text) => {
      const { mapping, text: draft, counts, notes } = await drafted(text)
      expect(mapping.record).toBe('task')
      expect(mapping.body.date_info.due_date).toMatchObject({ as: 'date' })
      expect(mapping.source ?? {}).not.toHaveProperty('ragged')
      expect(draft).toMatch(/^ *# (source: \{ )?ragged: pad( \})?$/m)
      expect(notes).toContain('? 3 of 3 rows have fewer cells than the header.')
      expect(counts.refused).toBe(0)
    },
  )
})

describe('rows that may be no records', () => {
  it.each([
    [
      'a word in some rows',
      'Title,Due,deleted\nPaint,2026-01-02,true\nMop,2026-01-03,\nDust,2026-01-04,',
      { deleted: { not: ['true'] } },
    ],
    [
      'a date in some rows',
      'Title,Due,Deleted At\nPaint,2026-01-02,2026-01-01\nMop,2026-01-03,\nDust,2026-01-04,',
      { 'Deleted At': { empty: true } },
    ],
  ])('rows that are marked as deleted are left out, by %s', (_, table, where) => {
    expect(content(draftFor(table)).where).toEqual(where)
  })

  it.each([
    [
      'Title,Due,Status\nPaint,2026-01-02,Done\nMop,2026-01-03,Open\nDust,2026-01-04,Open',
      '"Status" is "Done"',
      '{ Status: { not: [Done] } }',
    ],
    [
      'Aufgabe,Fällig,Erledigt\nStreichen,2026-01-02,ja\nWischen,2026-01-03,nein\nFegen,2026-01-04,nein',
      '"Erledigt" is "ja"',
      '{ Erledigt: { not: [ja] } }',
    ],
    [
      'Tarefa,Prazo,Estado\nPintar,2026-01-02,Concluído\nLavar,2026-01-03,Aberto\nVarrer,2026-01-04,Aberto',
      '"Estado" is "Concluído"',
      '{ Estado: { not: [Concluído] } }',
    ],
  ])('tasks that are done are asked about, with a condition: %s', async (table, what, where) => {
    const { notes, text } = await drafted(table)
    expect(notes).toContain(`? In 1 of 3 rows ${what}. Are these tasks to be made, too?`)
    expect(text).toContain(`# where: ${where}`)
  })

  it('tasks that are done are no question if a field says when, or if all are', async () => {
    for (const rows of ['Paint,Done,2026-01-02\nMop,Open,\nDust,Open,', 'Paint,Done,\nMop,Done,'])
      expect((await drafted(`Title,Status,Completed At\n${rows}`)).notes).not.toContain('to be made')
  })

  it.each([
    [
      'FROM,TO,DATE,SUBJECT,CONTENT\nAda Stone,Bob Fox,2026-03-01 10:00:00 UTC,Boats,Will you row with us?\nCy Hill,Ada Stone,2026-03-02 10:00:00 UTC,A role,I have a role that fits',
    ],
    [
      'Datum;Uhrzeit;Absender;Nachricht\n01.03.2026;10:02;Ada Stone;Bringst du die Farbe mit?\n02.03.2026;10:05;Jörg Süß;Ja, das mache ich',
    ],
    ['type,user,text\nmessage,U1,Paint is here\nmessage,U2,Great - thanks'],
    [
      'From,To,Subject,Body\nada@example.com,desk@example.net,Gate,It sticks\nbob@example.com,desk@example.net,Bill,Where is it?',
    ],
    ['Fecha,Remitente,Mensaje\n2026-03-01,Ana Sá,Trae la pintura mañana\n2026-03-02,Rui Melo,Claro que sí'],
  ])('messages are asked about, for they are no tasks: %s', async table => {
    expect((await drafted(table)).notes).toContain('or neither, such as a product, a message or hours')
  })

  it.each([
    'Id,Issue Type,Title,State,Created By\n760,Task,Paint the counter,New,Ada Stone\n761,Bug,Sweep the floor,New,Ada Stone',
    'Nr;Vorgangstyp;Titel;Zustand;Angelegt von\n7;Aufgabe;Theke streichen;Neu;Ada Stone\n8;Fehler;Boden fegen;Neu;Ada Stone',
    'Id,Title,Iteration Path,State\n760,Counter,Shop,New\n761,Floor,Shop,New',
  ])('rows with a type of issue, an area or an iteration are tasks: %s', async table => {
    const { mapping, notes } = await drafted(table)
    expect(mapping).toMatchObject({
      record: 'task',
      body: { name: { from: expect.stringMatching(/^Tit(le|el)$/) } },
    })
    expect(notes).not.toContain('Is each row a contact')
  })
})
