import { describe, expect, it } from 'vitest'
import { comments, content, draftFor, draftOfCells, draftOfFile } from '../../../support/drafts.ts'

const table = (header: string, ...rows: readonly string[]) => draftFor([header, ...rows].join('\n'))
const asked = (draft: Parameters<typeof comments>[0]) => comments(draft).replaceAll('\n', ' ')

describe('columns that are full come before those under a nearer word', () => {
  it.each([
    ['Task,Due,Finish', 'Finish'],
    ['Aufgabe,Fällig am,Ende', 'Ende'],
    ['Tâche,Échéance,Date de fin', 'Date de fin'],
    ['Tarea,Vencimiento,Fecha fin', 'Fecha fin'],
  ])('a date that every row has, of %s', (header, name) => {
    const rows = ['Paint it,,2026-01-15', 'Sweep it,2026-02-19,2026-02-18', 'Mend it,,2026-03-21']
    expect(content(table(header, ...rows)).body.date_info.due_date).toMatchObject({ from: name })
  })

  it.each([
    ['Task,Due,Lead,Assigned To', 'Lead'],
    ['Aufgabe,Fällig,Bearbeiter,Zuständig', 'Bearbeiter'],
    ['Задача,Срок,Исполнитель,Ответственный', 'Исполнитель'],
  ])('people that differ, of %s', (header, name) => {
    const rows = ['Ada', 'Bob', 'Cem', 'Ada', 'Bob', 'Eva'].map(
      (who, at) => `Work ${at},2026-01-1${at},${who},Zoe`,
    )
    expect(asked(table(header, ...rows))).toContain(`Which users are the people of "${name}"?`)
  })

  it('two that are alike are asked about, in which the first stands', () => {
    const draft = table(
      'Task,Due,Finish,Owner,Assignee',
      'One,2026-01-15,2026-01-25,Ada,Bob',
      'Two,2026-01-16,2026-01-26,Ada,Cem',
    )
    expect(asked(draft)).toContain('Which says when the task is due: "Due" or "Finish"?')
    expect(content(draft).body.date_info.due_date).toMatchObject({ from: 'Due' })
  })

  it.each(['Done by', 'Erledigt von', 'Fait par', 'Hecho por', 'Eseguito da'])(
    'whoever did it, under %s, is not who is to do it',
    header => {
      const draft = table(`Task,Due,${header},Assignee`, 'One,2026-01-15,Ada,Bob', 'Two,2026-01-16,Ada,Cem')
      expect(asked(draft)).toContain('Which users are the people of "Assignee"?')
    },
  )
})

describe('a second set of columns belongs to somebody else', () => {
  it.each([
    ['o_email', 'o_phone'],
    ['parent_email', 'parent_phone'],
    ['zz email', 'zz mobile'],
    ['vv_mail', 'vv_telefon'],
    ['Correo xy', 'Teléfono xy'],
  ])('%s and %s beside those of the contact', (email, phone) => {
    const rows = ['a,1', 'b,2'].map(row => {
      const [who, digit] = row.split(',')
      return `${who},${who}@example.com,+44 7700 90010${digit},${who}2@example.com,+44 7700 90011${digit}`
    })
    const { body } = content(table(`Name,Email,Phone,${email},${phone}`, ...rows))
    expect(body.emails).toMatchObject([{ email: { from: 'Email' } }])
    expect(body.phones).toMatchObject([{ phone_number: { from: 'Phone' } }])
  })

  it.each([
    ['고객명,연락처,담당자,담당자 연락처', '연락처'],
    ['Name,Phone,Coach,Coach phone', 'Phone'],
    ['Name,Telefon,Fahrer,Fahrer Telefon', 'Telefon'],
  ])('a number under the word of another column of names, in %s', (header, own) => {
    const rows = [
      'Ada Stone,+44 7700 900101,Zoe Lind,+44 7700 900111',
      'Bob Fox,+44 7700 900102,Sam Ek,+44 7700 900112',
    ]
    expect(content(table(header, ...rows)).body.phones).toMatchObject([{ phone_number: { from: own } }])
  })

  it.each(['Adresse', 'Strasse', 'Dirección'])(
    '%s is nobody, though a way to reach somebody begins with it',
    word => {
      const { body } = content(
        table(`Nom,${word},${word} mail`, 'Ada,Rue 1,a@example.com', 'Bob,Rue 2,b@example.com'),
      )
      expect(JSON.stringify(body.address)).toContain(word)
      expect(body.emails).toHaveLength(1)
    },
  )

  it('a set for work or for a second address is of the contact', () => {
    const { body } = content(
      table(
        'Name,Email,Phone,Work email,Work phone',
        'Ada,ada@example.com,+44 7700 900101,a@example.net,+44 7700 900111',
      ),
    )
    expect(body.emails).toHaveLength(2)
  })
})

describe('parts of an address have a shape', () => {
  it.each([
    ['Adresse privée,CP privé,Localité privée', 'Rue du Lac 1,1003,Lausanne', [0, 1, 2]],
    ['Residente in via,N. civico,Cap,Comune', 'Via Roma,12,20121,Milano', [0, 1, 2, 3]],
    ['ulice,cislo_domovni,obec,psc', 'Dlouhá,12,Praha,110 00', [0, 1, 3, 2]],
    ['House No,Street,Town,Eircode', '12,Main Street,Cork,T12 AB34', [0, 1, 3, 2]],
    ['N°,Rue,CP,Commune', '12,rue du Lac,75001,Paris', [0, 1, 2, 3]],
    ['Ulica,Nr domu,Kod', 'Długa,12,00-001', [0, 1, 2]],
    ['Street,Suburb,Pcode', '12 Hill Rd,Carlton,3053', [0, 2, 1]],
    ['Calle,Comuna,Ciudad', 'Av. Larga 123,Providencia,Santiago', [0, 1, 2]],
    ['Postiosoite,Postinumero,Postitoimipaikka', 'Katu 1,00100,Helsinki', [0, 1, 2]],
  ])('%s', (header, cells, order) => {
    const { address } = content(table(`Name,${header}`, `Ada Stone,${cells}`, `Bob Fox,${cells}`)).body
    expect(address.join).toEqual(order.map(at => header.split(',')[at]))
  })
})

describe('what the words leave open is asked', () => {
  it.each(['Hours', 'Stunden', 'Horas', 'Heures', 'Часы', 'Total hours'])('mere hours under %s', header => {
    const draft = table(`Task,Due,${header}`, 'One,2026-01-15,4', 'Two,2026-01-16,2')
    expect(asked(draft)).toContain(`Does "${header}" hold the time that was spent, or that is planned?`)
    expect(content(draft).body.estimated_time).toBeUndefined()
  })

  it.each([
    ['name,version,downloads,summary', 'left-pad,1.3.0,1234,Pads a text'],
    ['Name,Version,License,Homepage', 'chalk,5.3.0,MIT,https://chalk.example.com'],
    ['name,price,sku,stock', 'Green chair,12.50,CH-1,4'],
    ['Artikel,Preis,Bestand', 'Grüner Stuhl,12.50,4'],
    ['Producto,Precio,Existencias', 'Silla verde,12.50,4'],
    ['商品名,价格,库存', '绿椅子,12.5,4'],
  ])('a list of neither contacts nor tasks: %s', (header, row) => {
    expect(asked(table(header, row))).toContain('Is each row a contact, a task, or neither')
  })

  it.each([
    ['person', 'company', 'foundation'],
    ['Privatperson', 'Firma', 'Sonstiges'],
    ['persona', 'empresa', 'gremio'],
  ])('a kind beside %s and %s', (person, company, other) => {
    const draft = table(
      'name,type,email',
      `Ada,${person},a@example.com`,
      `Bob,${company},b@example.com`,
      `Cem,${other},c@example.com`,
    )
    expect(asked(draft)).toContain(`calls "${other}" a person or an organization?`)
    expect(content(draft).body.record_sub_type.map).toEqual({ [person]: 'person', [company]: 'organization' })
  })

  it.each([
    ['Work Order', 'WO-7001', 'WO-7002'],
    ['Incident', 'INC0001', 'INC0002'],
    ['Orden de trabajo', 'OT-101', 'OT-102'],
    ['Vorgang', '2026/17', '2026/18'],
    ['คำร้อง', 'REQ-2569-002', 'REQ-2569-003'],
  ])('whether the codes under %s are the key', (header, one, two) => {
    const draft = table(
      `${header},Title,Due date`,
      `${one},Paint it,2026-01-15`,
      `${two},Sweep it,2026-01-16`,
    )
    expect(asked(draft)).toContain('is different in every row. Does a record keep it for good?')
  })
})

describe('addresses and numbers', () => {
  it.each(['Fax', 'phone_fax', 'Telefax privat', '传真'])('%s is no phone beside others', header => {
    const { body } = content(
      table(
        `Name,Phone,${header}`,
        'Ada,+44 7700 900101,+44 20 7946 0950',
        'Bob,+44 7700 900102,+44 20 7946 0951',
      ),
    )
    expect(body.phones).toMatchObject([{ phone_number: { from: 'Phone' } }])
  })

  it('lists of objects are read by the key that holds them', async () => {
    const people = [
      {
        name: 'Ada Stone',
        emails: [{ type: 'work', value: 'ada@example.com' }],
        phones: [{ number: '+44 7700 900101' }],
      },
      { name: 'Bob Fox', emails: [{ type: 'home', value: 'bob@example.com' }], phones: [] },
    ]
    const { mapping } = await draftOfFile('people.json', JSON.stringify(people))
    expect(mapping.tests[0].body).toMatchObject({
      emails: [{ email: 'ada@example.com' }],
      phones: [{ phone_number: '+447700900101' }],
    })
  })
})

describe('values speak where words or places may mislead', () => {
  it.each([
    ['Aufgabe,Frist,Ende', 'Frist', 'Ende'],
    ['Tarea,Fecha límite,Fecha fin', 'Fecha límite', 'Fecha fin'],
  ])('a deadline in few rows is asked about beside an end, of %s', (header, deadline, end) => {
    const days = ['', '', '', '2026-02-11', '', '', '2026-02-14', '2026-02-15']
    const rows = days.map((day, at) => `Paint wall ${at},${day},2026-03-1${at}`)
    expect(asked(table(header, ...rows))).toContain(
      `Which says when the task is due: "${end}" or "${deadline}"?`,
    )
  })

  it('dates and shares on two lines are no description', async () => {
    const rows = [11, 12, 13, 14].map(day => `Naprawa ${day};"${day}-09-2026 08:08\n\n 8%"`)
    const draft = await draftOfFile('zadania.csv', ['Zadanie;Czas + postęp', ...rows].join('\n'))
    expect(draft.mapping.body.description).toBeUndefined()
  })

  it('a municipality that mostly is the town again is not joined to the address', () => {
    const rows = ['Åby', 'Åby', 'Borg', 'Dal'].map(
      (town, at) => `Ada Lund ${'abcd'[at]},Storgatan ${at + 1},1234${at},${town},${at === 3 ? 'Åby' : town}`,
    )
    const { address } = content(table('Namn,Gatuadress,Postnummer,Postort,Kommun', ...rows)).body
    expect(address.join).toEqual(['Gatuadress', 'Postnummer', 'Postort'])
  })

  it('names of a word or with a note, and columns of NULL, are no tasks and no names', async () => {
    const names = ['Ada', 'Bela Nagy', 'Csaba (felső)', 'Dora Kis / Mari', 'Edit', 'Ferenc Kis', 'kék ház 2']
    const rows = names.map((name, at) => `${at + 1};NULL;${name};NULL;${at % 2};2026-01-01`)
    const draft = await draftOfFile('lista.csv', rows.join('\n'))
    expect(draft.mapping.record).toBe('contact')
    expect(draft.text).not.toContain('name: { from: Column 2')
  })

  it('a list of countries is no part of an address', () => {
    const header = ['Muzeum', 'Adres', 'Region', 'Strona']
    const all = ['Chiny, Japonia', 'Chiny, Korea', 'Japonia']
    const rows = all.map((region, at) => [
      `Muzeum ${at}`,
      `ul. Długa ${at + 1}, 31-14${at} Kraków`,
      region,
      '',
    ])
    expect(content(draftOfCells(header, rows)).body.address).toEqual({ from: 'Adres' })
  })

  it('a search for jobs and the sign of an employer are no profile and no picture of a person', () => {
    const row = (name: string, firm: string) =>
      `${name},Ingenieurin,${firm},https://img.example.com/${firm}.png,https://www.linkedin.com/jobs/search/?keywords=${firm}`
    const { body } = content(
      table('Name,Beruf,Firma,Firma Logo,LinkedIn', row('Ada Stein', 'Erle'), row('Eva Kraus', 'Birke')),
    )
    expect(body).not.toHaveProperty('url_details')
    expect(body).not.toHaveProperty('avatar_url')
  })

  it('a count of the rows at the end is no record', async () => {
    const rows = ['Stein;Ada;Weg 1', 'Kraus;Eva;Weg 2', 'Berg;Finn;Weg 3'].map(row => `${row};;;4;20`)
    const text = ['Nachname;Vorname;Straße;Ort;Notiz;Klassen;Kinder', ...rows, '3 Lehrkräfte;;;;;12;60']
    const { notes, counts } = await draftOfFile('lehrer.csv', text.join('\n'))
    expect(notes).toContain('a footer seems to stand on line 5')
    expect(counts.rows).toBe(3)
  })

  it('where a column says which are organizations, these are called by their own', () => {
    const draft = table(
      'Тип,ФИО,Название организации,Телефон',
      'физлицо,Анна Белова,,+7 912 345 67 01',
      'юрлицо,Иван Орлов,ООО Берёза,+7 912 345 67 02',
      'физлицо,Ольга Титова,,+7 912 345 67 03',
    )
    const { name, record_sub_type } = content(draft).body
    expect(name).toMatchObject({ from: 'Название организации' })
    expect([name.default.from].flat()[0]).toBe('ФИО')
    expect(record_sub_type.map).toEqual({ физлицо: 'person', юрлицо: 'organization' })
  })

  it('whether those are organizations that sentences describe', () => {
    const rows = ['Notruf', 'Telefonseelsorge', 'Kinderhilfe Nord'].map(
      (name, at) => `${name},Ein Dienst der rund um die Uhr für alle Menschen da ist ${at}.,030 1234${at}0`,
    )
    expect(asked(table('Name,Beschreibung,Telefon', ...rows))).toContain('Are some of "Name" organizations?')
  })
})
