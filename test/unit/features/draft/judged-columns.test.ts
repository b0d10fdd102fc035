import { describe, expect, it } from 'vitest'
import { surveyOf } from '../../../../src/features/draft/columns/survey.ts'
import { sourcePart } from '../../../../src/features/draft/opening.ts'
import { comments, content, draftFor, draftOfCells } from '../../../support/drafts.ts'

const table = (header: string, ...rows: readonly string[]) => draftFor([header, ...rows].join('\n'))
/** Six rows, of which each has its own number. */
const rowsOf = (row: string) => Array.from({ length: 6 }, (_, at) => row.replaceAll('#', String(at + 1)))
const names = ['Ada Stone', 'Bob Fox', 'Cem Aksoy', 'Dora Lund', 'Eva Kraus', 'Finn Berg']
const peopleWith = (cells: string) =>
  names.map((name, at) => `${name},${cells.replaceAll('#', String(at + 1))}`)

describe('column of somebody else', () => {
  it('an address that all rows share beside another that differs is not of the contact', () => {
    const draft = table('Name,Team,Direct', ...peopleWith('desk@example.net,own#@example.com'))
    expect(content(draft).body.emails).toEqual([{ email: { from: 'Direct', as: 'email' } }])
    expect(draft.explained).toContainEqual(
      expect.objectContaining({
        column: expect.objectContaining({ name: 'Team' }),
        reason: "somebody else's",
      }),
    )
  })

  it('a switchboard is no number of the contact beside one of its own', () => {
    const { body } = content(table('Name,Phone,Mobile', ...peopleWith('+44 20 7946 0950,+44 7700 90012#')))
    expect(body.phones).toMatchObject([{ phone_number: { from: 'Mobile' } }])
  })

  it('an address that all rows share is kept if there is no other', () => {
    const { body } = content(table('Name,E-mail', ...peopleWith('desk@example.net')))
    expect(body.emails).toMatchObject([{ email: { from: 'E-mail' } }])
  })

  it.each([
    ['Sender', 'E-mail'],
    ['Absender', 'E-Mail'],
    ['Expéditeur', 'Courriel'],
    ['Remitente', 'Correo'],
    ['Remetente', 'E-mail'],
    ['Mittente', 'Email'],
    ['Afzender', 'E-mailadres'],
    ['Отправитель', 'Почта'],
    ['Nadawca', 'E-mail'],
    ['Avsändare', 'E-post'],
    ['Lähettäjä', 'Sähköposti'],
    ['Feladó', 'E-mail cím'],
    ['差出人', 'メール'],
    ['发件人', '邮箱'],
    ['שולח', 'אימייל'],
    ['Reply-To', 'Email Address'],
    ['Created By', 'Email'],
    ['Erstellt von', 'E-Mail'],
    ['Créé par', 'Courriel'],
    ['Creado por', 'Correo'],
    ['Utworzone przez', 'E-mail'],
    ['作成者', 'メール'],
  ])('an address under %s is not of the contact beside one under %s', (other, own) => {
    const { body } = content(
      table(`${other},${own}`, 'a@example.net,ada@example.com', 'b@example.net,bob@example.com'),
    )
    expect(body.emails).toEqual([{ email: { from: own, as: 'email' } }])
  })

  it('the spouse stays another, however often the names of the contacts repeat', () => {
    const draft = table(
      'First Name,Last Name,E-mail,Spouse First Name,Spouse Last Name,Spouse Email',
      ...rowsOf('Ada,Stone,ada@example.com,Sam#,Stone#,sam#@example.com'),
    )
    const { body, key } = content(draft)
    expect(key).toBeUndefined()
    expect(body.name).toMatchObject({ join: ['First Name', 'Last Name'] })
    expect(body.emails).toMatchObject([{ email: { from: 'E-mail' } }])
  })

  it('whoever is called in an emergency is not the contact beside full names under a word that is not known', () => {
    const rows = ['1,Ada Stone,Sam Stone,+44 7700 900109', '2,Bob Fox,Sue Fox,+44 7700 900108']
    const { body } = content(table('Bib,Runner,Emergency contact name,Emergency contact number', ...rows))
    expect(body).toMatchObject({ name: { from: 'Runner' } })
    expect(body.phones).toBeUndefined()
  })

  it.each(['Målsmans e-post', 'Correo del tutor', 'Mail du conjoint', 'Moderators Email'])(
    'an address under %s is of somebody else',
    header => {
      const rows = ['Ida,ida@example.com,per@example.com', 'Nils,nils@example.com,eva@example.com']
      const { body } = content(table(`Name,E-mail,${header}`, ...rows))
      expect(body.emails).toMatchObject([{ email: { from: 'E-mail' } }])
    },
  )

  it('a buyer is another beside a name, and the contact beside a company', () => {
    const rows = [
      'Ada Stone,ada@example.com,Bob Fox,bob@example.com',
      'Cem Aksoy,cem@example.com,Eva Kraus,eva@example.com',
    ]
    expect(content(table('Name,Email,Buyer Name,Buyer Email', ...rows)).body.emails).toMatchObject([
      { email: { from: 'Email' } },
    ])
    expect(content(table('Company,Company Email,Buyer Name,Buyer Email', ...rows)).body.name).toMatchObject({
      from: 'Buyer Name',
    })
  })

  it('a host that all rows share is no domain, unless it is the same page in a few rows', () => {
    const links = ['Ada,https://u1.ct.example.org/click?upn=aa', 'Bob,https://u1.ct.example.org/click?upn=bb']
    expect(content(table('Name,URL', ...links)).body.url_details).toBeUndefined()
    expect(
      content(table('Name,URL', 'Ada,https://a.example.org', 'Bob,https://b.example.org')).body,
    ).toMatchObject({
      url_details: { domain: { from: 'URL' } },
    })
    expect(
      content(table('Name,Website', ...peopleWith('https://fenwick.example.com'))).body.url_details,
    ).toBeUndefined()
  })
})

describe('what a column holds', () => {
  it.each([
    ['What to do', 'Milestone'],
    ['Was ansteht', 'Meilenstein,Story'],
    ['Co zrobić', 'Story'],
    ['מה לעשות', 'Item'],
    ['需要做的', 'Action'],
  ])('a full column of texts, %s, is the title before %s of few rows', (title, word) => {
    const filler = word.replace(/[^,]+/g, '')
    const draft = table(
      `Id,${title},Start,${word}`,
      `1,Paint the counter,2026-01-05,${filler}`,
      `2,Sweep the floor,2026-01-06,${filler}`,
      `3,Call Ada again,2026-01-07,Opening${filler}`,
      `4,Call Bob again,2026-01-08,${filler}`,
    )
    expect(content(draft).body.name).toMatchObject({ from: title })
    expect(JSON.stringify(content(draft).body.name)).not.toContain('"Id"')
  })

  it('a title that few rows have is asked about if no other column is full', () => {
    const draft = draftFor(
      'Id,Milestone,Due\n1,,2026-01-05\n2,,2026-01-06\n3,Opening,2026-01-07\n4,,2026-01-08',
      'task',
    )
    expect(comments(draft)).toContain('? Most rows have no "Milestone". Is "Milestone" what is to be done?')
    expect(content(draft).body.name).toEqual({ from: 'Milestone', required: true })
  })

  it('a title that holds codes is an answer to what the task is called', () => {
    const draft = draftFor(
      'Title,Description,Due date\nREQ12,The system shall log in,2026-01-05\nREQ13,The system shall log out,2026-01-06',
    )
    expect(comments(draft)).toContain('Is "Description" what is to be done?')
    expect(comments(draft)).toContain('name: { from: Title, required: true }')
  })

  it('codes are no address, nor is a postal code alone', () => {
    const codes = ['Trust A,5C1', 'Trust B,5CN', 'Trust C,RX2']
    expect(content(table('Name,Organisation_code', ...codes)).body.address).toBeUndefined()
    expect(content(table('Name,PLZ', 'Ada,10115', 'Bob,01067')).body.address).toBeUndefined()
    expect(content(table('Name,PLZ,Ort', 'Ada,10115,Berlin', 'Bob,01067,Dresden')).body.address).toBeDefined()
  })

  it('counts are no description', () => {
    const { body } = content(
      table('title,comments,due date', 'Paint it,0,2026-01-05', 'Sweep it,3,2026-01-06'),
    )
    expect(body.description).toBeUndefined()
  })

  it('rows that share an id and have other names give no key', () => {
    const draft = table('Customer ID,Name', '7,Ada', '7,Bob', '8,Cem', '8,Eva')
    expect(draft.text).not.toMatch(/^(# )?key:/m)
    expect(comments(draft)).toContain('and rows that share it have other names')
    expect(comments(draft)).not.toContain('Are all rows of one value one record?')
  })
})

describe('words of headers', () => {
  it.each([
    ['Description / Story', 'description'],
    ['Descripción / HU', 'description'],
    ['Frist/Termin', 'date_info'],
  ])('a header %s is known by one of its parts', (header, field) => {
    const value = field === 'description' ? 'Two coats of white' : '2026-01-05'
    const { body } = content(draftFor(`Task,${header}\nPaint it,${value}\nSweep it,${value}`, 'task'))
    expect(JSON.stringify(body[field])).toContain(JSON.stringify(header))
  })

  it.each([
    ['Remarks', 'Observaciones', 'Opmerkingen', 'Примечание', '备注', 'הערות', 'Summary / Notes'],
    ['詳細', '说明', '备注说明', 'Poznámka', 'Anmerkung', 'Remarque', 'Bemærkninger', 'Açıklama', 'ملاحظات'],
  ])('notes are notes of contacts and of tasks: %s, %s, %s, …', (...headers) => {
    for (const header of headers) {
      const task = draftFor(`Task,Due date,${header}\nPaint it,2026-01-05,Two coats`)
      const contact = draftFor(`First name,Last name,${header}\nAda,Stone,Two coats`)
      for (const draft of [task, contact])
        expect(content(draft).body.description, header).toMatchObject({ from: header })
    }
  })

  it.each([
    'Localité',
    'Località',
    'Населённый пункт',
    '시',
    'Miejscowość',
    'Yishuv',
    'Bostadsort',
    'Település',
  ])('a town under %s is a part of the address', header => {
    const { body } = content(table(`Name,Street,${header}`, 'Ada,1 Row,Leeds', 'Bob,2 Row,York'))
    expect(body.address).toMatchObject({ join: ['Street', header] })
  })

  it.each([
    'תאריך סיום',
    'Forfald',
    'Måldatum',
    'ETA',
    'Frist dato',
    'Fecha objetivo',
    '计划完成时间',
    'Termin oddania',
  ])('a date under %s is when the task is due', header => {
    const { body } = content(table(`Task,${header}`, 'Paint it,2026-01-05', 'Sweep it,2026-01-06'))
    expect(body.date_info).toMatchObject({ due_date: { from: header } })
  })

  it.each(['Issuekey', 'TaskID', 'recordid', 'contactid'])('the key is %s, written in one word', header => {
    expect(content(table(`${header},Name`, 'A-7701,Ada', 'A-9902,Bob')).key).toBe(header)
  })

  it.each(['HubSpot Owner', 'Responsável', 'Zugewiesen an', 'Assegnato a', 'Ответственный'])(
    'an address under %s is that of the user, not of the contact',
    header => {
      const rows = ['Ada,ada@example.com,zoe@corp.example', 'Bob,bob@example.com,zoe@corp.example']
      const { body } = content(table(`Name,Email,${header}`, ...rows))
      expect(body.emails).toMatchObject([{ email: { from: 'Email' } }])
      expect(body.assigned_user).toMatchObject({ email: { from: header } })
    },
  )
})

describe('headers that differ in a word', () => {
  it.each(['Nombre de tarea', 'Nombre de la tarea', 'Nombre tarea'])('a title is known as %s', header => {
    const { body } = content(draftFor(`${header},Fin\nPintar,2026-01-05\nBarrer,2026-01-06`, 'task'))
    expect(body.name).toMatchObject({ from: header })
  })

  it.each(['Medical Notes', 'Delivery notes', 'Besondere Bemerkungen', 'noteText'])(
    '%s are notes',
    header => {
      const { body } = content(table(`First name,Last name,${header}`, 'Ada,Stone,Nuts', 'Bob,Fox,'))
      expect(body.description).toMatchObject({ from: header })
    },
  )

  it.each([
    'Registrert av',
    'Registriert von',
    'Saisi par',
    'Cargado por',
    'Inserito da',
    'Ingevoerd door',
    'Dodane przez',
  ])('an address under %s is of somebody else', header => {
    const rows = ['Ada,ada@example.com,x@corp.example', 'Bob,bob@example.com,y@corp.example']
    const { body } = content(table(`Name,Email,${header}`, ...rows))
    expect(body.emails).toMatchObject([{ email: { from: 'Email' } }])
  })

  it('an address that three rows share is of somebody else if its header is the farther one', () => {
    const rows = ['Ada,ada@example.com', 'Bob,bob@example.com', 'Cem,cem@example.com']
    const { body } = content(
      table('Name,E-mail,Hotline E-mail', ...rows.map(row => `${row},help@corp.example`)),
    )
    expect(body.emails).toMatchObject([{ email: { from: 'E-mail' } }])
  })

  it('the only column of dates is offered as the end of a task, but not when something was changed', () => {
    const draft = (header: string) =>
      draftFor(`Task,${header}\nPaint it,2026-01-05\nSweep it,2026-01-06`, 'task')
    expect(comments(draft('Whenever'))).toContain('? Is "Whenever" when the task is due,')
    expect(comments(draft('Last updated'))).not.toContain('when the task is due')
    expect(comments(draft('Zuletzt geändert'))).not.toContain('when the task is due')
  })

  it('parts of an address belong together, whatever number the first line has', () => {
    const { body } = content(
      table(
        'Name,Home Address 1,Home City,Home Postcode',
        'Ada,1 Row,Leeds,LS1 1AA',
        'Bob,2 Row,York,YO1 1AA',
      ),
    )
    expect(body.address.join).toEqual(['Home Address 1', 'Home Postcode', 'Home City'])
  })

  it('a person with a job is not called as the company beside, in Chinese either', () => {
    const { body } = content(
      table('客户名称,联系人,职务', '上海星光有限公司,王伟,经理', '北京远方公司,李娜,采购'),
    )
    expect(body).toMatchObject({ name: { from: '联系人' }, record_sub_type: 'person' })
  })
})

describe('phone numbers in drafts', () => {
  it.each(['Corporate Phone', 'Company Phone', 'Mobile Phone', 'Phone'])(
    'a number with an apostrophe against formulas is one, under %s',
    header => {
      const { body } = content(table(`Name,${header}`, "Ada,'+44 20 7946 0958", "Bob,'+44 20 7946 0959"))
      expect(body.phones).toMatchObject([{ phone_number: { from: header } }])
    },
  )

  it.each([
    ...['Festnetz', 'Fon', 'Natel', 'Fono', 'Numéro', 'Numero', 'Vaste lijn', 'Office', 'Home', 'Phone/Fax'],
    ...['Fijo', 'Fisso', 'Fixe', 'Telefone fixo', 'Стационарный', 'Рабочий', 'Stacjonarny', 'Pevná linka'],
    ...[
      'Fastnet',
      'Fasttelefon',
      'Fast telefon',
      'Lankapuhelin',
      'Vezetékes',
      'Telefon fix',
      'Sabit telefon',
    ],
    ...[
      'Σταθερό',
      'الهاتف الأرضي',
      'טלפון קווי',
      '自宅電話',
      '固话',
      '집전화',
      'Điện thoại bàn',
      'Telepon rumah',
    ],
  ])('a national number under %s is a phone number', header => {
    const { body } = content(table(`Name,${header}`, 'Ada,020 7946 0958', 'Bob,020 7946 0959'))
    expect(body.phones).toMatchObject([{ phone_number: { from: header } }])
  })

  it('numbers without a country are asked about if those with one are all of one', () => {
    const draft = table(
      'Name,Telefon',
      'Ada,030 123456',
      'Bob,+49 30 1234567',
      'Cem,0176 12345678',
      'Eva,+49 40 1234567',
    )
    expect(comments(draft).replaceAll('\n', ' ')).toContain(
      '2 numbers have no country, such as "030 123456"; the others are all +49. Are these of Germany as well?',
    )
    expect(draft.text).toContain('#   - { phone_number: { from: Telefon, as: phone, country: DE,')
    expect(content(draft).body.phones[0].phone_number.country).toBeUndefined()
  })

  it('numbers without a country are not asked about if the others are of several', () => {
    const draft = table('Name,Telefon', 'Ada,030 123456', 'Bob,+49 30 1234567', 'Cem,+33 1 42 68 53 00')
    expect(comments(draft)).not.toContain('no country, such as')
  })

  it('several numbers and remarks in a cell are read by the mapping that is drafted', () => {
    const draft = draftOfCells(
      ['Name', 'Tel.', 'Work'],
      [
        ['Ada', '040/48 12 34 (priv.), +49 176 12345678 mobil', 'Office: +44 20 7946 0959;+44 20 7946 0960'],
        ['Bob', '+49 40 481235', '+44 20 7946 0961 x12'],
      ],
    )
    const [test] = content(draft).tests
    expect(test.body.phones).toEqual([
      { phone_number: '040/48 12 34' },
      { phone_number: '+4917612345678' },
      { phone_number: '+442079460959' },
      { phone_number: '+442079460960' },
    ])
  })
})

describe('people or organizations', () => {
  it.each([
    ['VAT Number', 'GB123456789', 'GB223456789'],
    ['USt-IdNr.', 'DE123456789', 'DE223456789'],
    ['Opening Hours', '9-5', '10-6'],
    ['Horaires', '9h-17h', '10h-18h'],
    ['Industry', 'Mining', 'Retail'],
    ['Branża', 'Górnictwo', 'Handel'],
    ['Toll Free', '0800 111 222', '0800 111 333'],
    ['Parent Agency', 'Ministry of Health', 'Ministry of Work'],
    ['category', 'Clinic', 'Dentist'],
    ['従業員数', '12', '40'],
  ])('a column %s is asked about beside names that could be of people', (header, one, other) => {
    const draft = table(
      `name,phone,address,${header}`,
      `Saint Barbara,+44 20 7946 0950,0 Main St,${one}`,
      `Harbour Smiles,+44 20 7946 0951,1 Main St,${other}`,
    )
    const isAsked = comments(draft).includes('? Are some of "name" organizations?')
    expect(isAsked || content(draft).body.record_sub_type === 'organization').toBe(true)
  })

  it('a cell of a row is no word while the header is in question', () => {
    const unsure = ['Ada Stone', 'Org', 'Column 3']
    const facts = { header: { rule: { type: 'first_line' as const }, unsure } }
    const draft = draftFor('Ada Stone,Org,Leeds\nBob Fox,Club,York\nCem Aksoy,Club,Hull', 'contact', facts)
    expect(content(draft).body).toMatchObject({ name: { from: 'Ada Stone' }, record_sub_type: 'person' })
  })
})

describe('questions that the data answer', () => {
  it('the order of dates follows another column of the file', () => {
    const draft = table(
      'Task,Start date,Due date',
      'Paint it,9/8/2026,9/28/2026',
      'Sweep it,9/1/2026,10/14/2026',
    )
    expect(content(draft).body.date_info.start_date).toMatchObject({ format: 'M/d/yyyy' })
    expect(comments(draft)).toContain('are read with the month first, as those of "Due date" are.')
  })

  it('the order of dates is the one by which no row ends before it begins', () => {
    const draft = table(
      'Task,Start date,Due date',
      'Paint it,9/8/2026,2026-08-20',
      'Sweep it,1/9/2026,2026-09-20',
    )
    expect(content(draft).body.date_info.start_date).toMatchObject({ format: 'd/M/yyyy' })
    expect(comments(draft)).toContain('else a row would have "Due date" before "Start date"')
  })

  it('an owner that is the contact itself is no user', () => {
    const draft = table(
      'Name,Owner,E-mail',
      'Ada Stone,Ada Stone,ada@example.com',
      'Bob Fox,Bob Fox,bob@example.com',
    )
    expect(comments(draft)).not.toContain('Which users')
  })

  it('no currency and no password is offered as a name', () => {
    const draft = draftFor('user id,currency,password,label\n1,EUR,hunter,fir\n2,USD,secret,oak', 'contact')
    const asked = comments(draft).match(/\? No column says[\s\S]*?\nname:.*$/m)?.[0] ?? comments(draft)
    expect(asked).toContain('label')
    expect(asked).not.toMatch(/name: .*(currency|password)/)
  })

  it('a header that no line can be named for is not asked about', () => {
    const source = {
      name: 'rows.csv',
      settings: { format: 'csv', header: { type: 'columns', columns: ['a', 'b'] }, ragged: 'invalid' },
      encoding: { name: 'utf-8', by: 'valid' },
      header: { rule: { type: 'first_line' }, unsure: ['a', 'b'] },
      ...{ oddity: undefined, lists: [], sheet: undefined },
      usual: { format: true, delimiter: true, encoding: true },
    } as const
    const { rows } = surveyOf(['a', 'b']).end(true)
    const part = sourcePart({ source, rows, columns: [], record: undefined, headerLine: undefined })
    expect(part?.lines.join('\n')).toContain('columns: [a, b]')
    expect(part?.lines.join('\n')).not.toContain('?')
  })

  it('a command in a comment is quoted for the shell', () => {
    const facts = { name: "o'brien list.csv" }
    expect(comments(draftFor('a,b\n1,2', undefined, facts))).toContain(
      "rowlift init 'o'\\''brien list.csv' --record",
    )
  })
})

describe('column of a task', () => {
  const works = ['Paint the shelves', 'Sweep the yard', 'Oil the hinges', 'Call the plumber']
  const tasks = (header: string, cells: (at: number) => string) =>
    table(`Title,Due date,${header}`, ...works.map((work, at) => `${work},2026-03-1${at},${cells(at)}`))

  it('a header may have its two words in another order, but not those of a date', () => {
    const draft = tasks('proyecto nombre,date requested', () => 'Shop,2026-01-05')
    expect(content(draft).body).toMatchObject({
      projects: [{ name: { from: 'proyecto nombre' } }],
      date_info: { due_date: { from: 'Due date' } },
    })
  })

  it('a time is how long a task takes if it is a number', () => {
    const draft = tasks('Time', at => String(at + 2))
    expect(comments(draft)).toContain('Does "2" (column "Time") count hours, minutes or seconds?')
    expect(content(tasks('Time', at => `1${at}:30`)).body.date_info).toMatchObject({
      due_date: { join: ['Due date', 'Time'] },
    })
  })

  it('whoever works is asked about in a file without another word for it', () => {
    expect(comments(tasks('pracownik', at => `W${at % 2}`))).toContain('the people of "pracownik"')
  })

  it('texts of several words are tasks in a file that names and reaches nobody, which is asked', () => {
    const draft = table('Nr,Text,Ref', ...works.map((work, at) => `${at},${work} again,${'ABCD'[at]}`))
    expect(content(draft).record).toBe('task')
    expect(content(draft).body.name).toMatchObject({ from: 'Text' })
    expect(comments(draft)).toContain('Is each row a contact, a task, or neither')
  })

  it('names of people stay contacts, whatever stands beside them', () => {
    const draft = table('A,B', ...names.map((name, at) => `${name},met at fair ${at}`))
    expect(content(draft).record).toBe('contact')
  })

  it('hours of tasks that are all over may have been spent, even if each has a number', () => {
    const rows = works.map((work, at) => `${at},${work},2026-03-0${at + 1},2026-03-1${at},3:00`)
    const draft = table('Task ID,Title,Start date,Completed on,Duration', ...rows)
    expect(comments(draft)).toContain('Does "Duration" hold the time that was spent')
  })

  it('a name of a client beside the title is who the task is for', () => {
    const draft = tasks('client_name', at => `Firm ${at % 2}`)
    expect(comments(draft)).toContain('contacts: { from: client_name')
  })

  it('a date that may be planned or past, by its word, is asked about', () => {
    const rows = works.map(work => `${work},2026-01-05 10:00,high`)
    const draft = table('Title,FechaHoraCierre,Priority', ...rows)
    expect(content(draft).body.date_info).toBeUndefined()
    expect(comments(draft)).toContain('Is "FechaHoraCierre" when the task is due, or when it was noted')
  })

  it('few remarks name no task, though its titles are numbers', () => {
    const rows = works.map((_, at) => `Job${at},2026-03-1${at},${at === 2 ? 'late again' : ''}`)
    const { body } = content(table('Task,Due date,Notes', ...rows))
    expect(body).toMatchObject({ name: { from: 'Task' }, description: { from: 'Notes' } })
  })

  it('a flag that says that a row was handled is asked about, with a dash for those that were not', () => {
    const draft = tasks('Handled', at => (at === 1 ? '—' : 'yes'))
    expect(comments(draft)).toContain('In 3 of 4 rows "Handled" is "yes". Are these tasks to be made, too?')
  })

  it('rows without a title that are all of other kinds are asked about', () => {
    const made = works.map((work, at) => `made,${work},2026-03-1${at}`)
    const draft = table(
      'Kind,Title,Due date',
      ...made,
      'noted,,2026-04-01',
      'moved,,2026-04-02',
      'noted,,2026-04-03',
    )
    expect(comments(draft)).toContain('3 rows have no "Title"; "Kind" of these is "noted", "moved".')
    expect(comments(draft)).toContain('where: { Kind: { not: [noted, moved] } }')
    const mixed = table('Kind,Title,Due date', ...made, 'made,,2026-03-20', 'moved,,2026-03-21')
    expect(comments(mixed)).not.toContain('no "Title"')
  })
})
