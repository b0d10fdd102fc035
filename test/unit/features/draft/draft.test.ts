import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { compileMapping } from '../../../../src/mapping/mapping.ts'
import { anyText } from '../../../support/any-text.ts'
import { comments, content, draftFor, draftOfCells, putIn, suggestions } from '../../../support/drafts.ts'
import { repeats } from '../../../support/random.ts'

describe('draft of contacts', () => {
  it('a draft of contacts puts names, addresses and numbers where a person would', () => {
    const draft = draftFor(`
      Customer ID,First Name,Last Name,Job Title,E-mail,Mobile,Company,Street,Postcode,City,Website,LinkedIn
      7,Ada,Lovelace,Countess,ada@example.com,+44 20 7946 0101,Fenwick,1 Row,N1,London,fenwick.example.com,https://www.linkedin.com/in/ada
      9,Bob,Smith,Clerk,bob@example.com,+44 20 7946 0102,Fenwick,2 Row,N2,London,fenwick.example.com,https://www.linkedin.com/in/bob`)
    expect(content(draft)).toMatchObject({
      record: 'contact',
      key: 'Customer ID',
      body: {
        name: { join: ['First Name', 'Last Name'], with: ' ', required: true },
        record_sub_type: 'person',
        designation: { from: 'Job Title' },
        emails: [{ email: { from: 'E-mail', as: 'email' } }],
        phones: [{ phone_number: { from: 'Mobile', as: 'phone', extension: 'keep' } }],
        address: { join: ['Street', 'Postcode', 'City'], with: ', ' },
        url_details: {
          domain: { from: 'Website', as: 'domain' },
          linkedin_url: { from: 'LinkedIn', as: 'url' },
        },
      },
    })
    expect(comments(draft)).toContain(
      'parent: { record_id: { from: Company, lookup: organizations, missing: omit } }',
    )
  })

  it.each([
    ['Vorname,Nachname,E-Mail-Adresse,Handynummer,Straße,PLZ,Ort', 'address'],
    ['Prénom,Nom de famille,Courriel,Téléphone,Rue,Code postal,Ville', 'address'],
    ['Nombre,Apellidos,Correo electrónico,Móvil,Calle,Código postal,Ciudad', 'address'],
    ['Nome próprio,Cognome,Posta elettronica,Cellulare,Via,CAP,Città', 'address'],
    ['Voornaam,Achternaam,E-mailadres,Telefoonnummer,Straat,Postcode,Plaats', 'address'],
    ['Имя,Фамилия,Эл. почта,Мобильный телефон,Улица,Почтовый индекс,Город', 'address'],
    ['Imię,Nazwisko,Adres e-mail,Numer telefonu,Ulica,Kod pocztowy,Miejscowość', 'address'],
    ['Jméno,Příjmení,E-mail,Telefonní číslo,Ulice,PSČ,Město', 'address'],
    ['Meno,Priezvisko,E-mail,Telefónne číslo,Ulica,PSČ,Mesto', 'address'],
    ['Förnamn,Efternamn,E-post,Mobilnummer,Gatuadress,Postnummer,Postort', 'address'],
    ['Fornavn,Efternavn,E-mail,Telefonnr.,Vej,Postnr,By', 'address'],
    ['Fornavn,Etternavn,E-postadresse,Mobiltelefon,Gate,Postnummer,Poststed', 'address'],
    ['Keresztnév,Vezetéknév,E-mail cím,Telefonszám,Utca,Irányítószám,Város', 'address'],
    ['Adı,Soyadı,E-posta,Cep Telefonu,Sokak,Posta Kodu,Şehir', 'address'],
    ['Etunimi,Sukunimi,Sähköposti,Puhelinnumero,Katuosoite,Postinumero,Kaupunki', 'address'],
    ['Prenume,Nume de familie,Adresă de email,Număr de telefon,Stradă,Cod poștal,Oraș', 'address'],
  ])('a draft of contacts knows the words of %s', header => {
    const { body } = content(draftFor(`${header}\nAda,L,ada@example.com,+442079460101,Row 1,10963,Town`))
    const [first, last, email, phone, ...address] = header.split(',')
    expect(body).toMatchObject({
      name: { join: [first, last], with: ' ', required: true },
      emails: [{ email: { from: email } }],
      phones: [{ phone_number: { from: phone } }],
      address: { join: address },
    })
  })

  it('a draft of contacts knows a column of addresses by its values, but not that of an owner', () => {
    const { body } = content(
      draftFor('Who,Reach,Owner\nAda,ada@example.com,o@example.com\nBob,b@example.com,o@example.com'),
    )
    expect(body.emails).toEqual([{ email: { from: 'Reach', as: 'email' } }])
    expect(body.assigned_user).toEqual({ email: { from: 'Owner', as: 'email' } })
  })

  it('a draft of contacts takes several values in a cell apart', () => {
    const draft = draftFor(
      'Name,Email,Phone\nAda,a@example.com;b@example.com,+442079460101 ::: +442079460102\nBob,c@example.com,',
    )
    expect(content(draft).body).toMatchObject({
      emails: [{ from: 'Email', split: ';', each: { email: { from: '.', as: 'email' } } }],
      phones: [
        {
          from: 'Phone',
          split: ' ::: ',
          each: { phone_number: { from: '.', as: 'phone', extension: 'keep', otherwise: 'keep' } },
        },
      ],
    })
  })

  it('a draft of contacts leaves addresses out that are none, and says how many that are and where', () => {
    const draft = draftFor('Name,Email\nAda,ada@example.com\nBob,nope\nCy,none')
    expect(content(draft).body.emails).toEqual([{ email: { from: 'Email', as: 'email', otherwise: 'omit' } }])
    expect(content(draft).key).toBeUndefined()
    expect(comments(draft)).toContain(
      'Values that are not e-mail addresses (1, first "nope" in line 3) are left out',
    )
    expect(draft.counts).toEqual({ rows: 3, refused: 0 })
  })

  it('a draft of contacts refuses rows with one of few bad addresses, and names rows by them', () => {
    const rows = Array.from({ length: 60 }, (_, at) => [`N${at}`, at === 40 ? 'nope' : `n${at}@example.com`])
    const draft = draftOfCells(['Name', 'Email'], rows)
    expect(content(draft)).toMatchObject({ key: 'Email', body: { emails: [{ email: { as: 'email' } }] } })
    expect(draft.text).not.toMatch(/email: \{[^}]*otherwise/)
    expect(comments(draft)).toContain(
      'Values that are not e-mail addresses (1, first "nope" in line 42) make their rows invalid',
    )
    expect(draft.counts).toEqual({ rows: 60, refused: 1 })
  })

  it('a draft of contacts reports a repeated header, and does not take it for a value', () => {
    const draft = draftFor('Name,Email\nAda,ada@example.com\nName,Email\nBob,b@example.com')
    expect(content(draft)).toMatchObject({ key: 'Email', body: { emails: [{ email: { as: 'email' } }] } })
    expect(comments(draft)).toContain('The header is repeated on line 3.')
    expect(draft.text).not.toContain('not e-mail address')
    expect(draft.counts).toEqual({ rows: 2, refused: 0 })
  })

  it('a draft has no condition on a column that no mapping can have as a key', () => {
    const draft = draftFor('Name,__proto__\nAda Stone,1\nName,2\nName,__proto__\nBob Fox,3')
    expect(content(draft)).not.toHaveProperty('where')
  })

  it.each([
    ['Sub,Name,Size', 'another header'],
    ['Total,,7', 'a total'],
    ['Confidential. For members only', 'a footer'],
    ['Copyright Example Ltd,,', 'a footer in its cells'],
  ])('a draft of contacts reports a row that looks like none: %s', row => {
    const draft = draftFor(`Name,Email,Visits\nIvy,ivy@example.com,3\nRex,rex@example.com,4\n${row}`)
    expect(comments(draft)).toContain(
      'Another header, a total, a legend or a footer seems to stand on line 4.',
    )
  })

  it('a draft of contacts reports no row because it is called like a column, or totals', () => {
    const draft = draftFor('Name,Email,Visits\nVisits,ivy@example.com,3\nTotal Care,rex@example.com,4')
    expect(comments(draft)).not.toContain('seems to stand')
  })

  it('a draft of contacts leaves out what is no number in a column of few phones', () => {
    const draft = draftFor('Name,Phone\nAda,+442079460101\nBob,unknown\nCy,-\nDi,12')
    expect(content(draft).body.phones).toEqual([
      { phone_number: { from: 'Phone', as: 'phone', extension: 'keep', otherwise: 'omit' } },
    ])
    expect(comments(draft)).toContain(
      'Values that are not phone numbers (2, first "unknown" in line 3) are left out',
    )
  })

  it('a draft of contacts calls a row without a name by what else it has, and an organization one', () => {
    const { body } = content(
      draftFor(
        'First name,Last name,Company,Email\nAda,L,Fenwick,a@example.com\n,,Fenwick,info@example.com\n,,,x@example.com',
      ),
    )
    expect(body.name).toEqual({
      join: ['First name', 'Last name'],
      with: ' ',
      default: { from: ['Company', 'Email'] },
      required: true,
    })
    expect(body.record_sub_type.default.from).toBe('Company')
  })

  it('a draft of contacts takes the own address before one for bills that is as full', () => {
    const parts = ['address1', 'city', 'zip']
    const header = ['billingAddress', 'address'].flatMap(group => parts.map(part => `${group}.${part}`))
    const draft = draftFor(`
      name,${header}
      Fenwick Ltd,9 Bank St,London,N1 1AA,1 Row,Leeds,LS1 1AA
      Harbour Ltd,8 Bank St,London,N1 1AB,2 Row,York,YO1 1AA`)
    expect(content(draft).body.address.join.toSorted()).toEqual([
      'address.address1',
      'address.city',
      'address.zip',
    ])
  })

  it('a draft of contacts makes organizations of a list of companies', () => {
    const { body } = content(draftFor('Company Name,Industry,Website\nFenwick,Ropes,fenwick.example.com'))
    expect(body).toMatchObject({ name: { from: 'Company Name' }, record_sub_type: 'organization' })
  })

  it('a draft of contacts tells people from organizations by a column that says it', () => {
    const { body } = content(
      draftFor('Name,Is a company,Email\nFenwick,1,i@example.com\nAda,0,a@example.com'),
    )
    expect(body.record_sub_type).toMatchObject({
      from: 'Is a company',
      map: { 0: 'person', 1: 'organization' },
    })
  })

  it('a draft of contacts takes Name for the last name next to a first name', () => {
    const name = (table: string) => content(draftFor(table)).body.name
    expect(name('Name,Vorname\nGroß,Änne')).toMatchObject({ join: ['Vorname', 'Name'] })
    expect(name('Name,First name\nAda Lovelace,Ada')).toMatchObject({ from: 'Name' })
  })

  it.each([
    ['one column', 'contact', 'Firma,Ort\nHafenbau,Kiel\nSegelmacher,Kiel', 0],
    ['several columns', 'contact', 'Given name,Surname,Town\nAda,L,Bath\nBob,S,Bath', 0],
    [
      'several columns, none of which is filled in some row',
      'contact',
      'Given name,Surname,Town\nAda,L,Bath\n,,Bath',
      1,
    ],
    ['a title that is missing somewhere', 'task', 'Title,Due date\nPaint,2027-01-02\n,2027-01-03', 1],
    ['no column that says so', 'task', 'A,B\n1,2\n3,4', 0],
  ] as const)('a draft of contacts requires the name in any case: %s', (_, record, table, refused) => {
    const draft = draftFor(table, record)
    expect(content(draft).body.name).toMatchObject({ required: true })
    expect(draft.counts.refused).toBe(refused)
    expect(comments(draft).includes('Rows without a name are invalid.')).toBe(refused > 0)
  })

  it('a draft of contacts does not take Mr. for what somebody does', () => {
    const { body } = content(draftFor('Title,First Name,Last Name\nMr.,Ada,L\nDr.,Bob,S'))
    expect(body.designation).toBeUndefined()
  })
})

describe('draft of tasks', () => {
  it('a draft of tasks puts title, dates, people and durations where a person would', () => {
    const draft = draftFor(`
      Issue key,Summary,Description,Assignee,Start date,Due date,Priority,Estimated hours,Billable,Project
      A-1,Rig the awning,Ask twice,ann@example.com,2026-01-02,2026-01-05,High,2,yes,Harbour
      A-2,Count crates,,bob@example.com,2026-01-03,2026-01-06,Low,3,no,Harbour`)
    expect(content(draft)).toMatchObject({
      record: 'task',
      key: 'Issue key',
      body: {
        name: { from: 'Summary', required: true },
        description: { from: 'Description', as: 'html' },
        priority: { from: 'Priority', map: { High: 'high', Low: 'low' }, otherwise: 'omit' },
        assigned_user: { email: { from: 'Assignee', as: 'email' } },
        date_info: {
          start_date: { from: 'Start date', as: 'date' },
          due_date: { from: 'Due date', as: 'date' },
        },
        estimated_time: { from: 'Estimated hours', as: 'duration', unit: 'hours' },
        billable: { from: 'Billable', as: 'boolean' },
        projects: [{ name: { from: 'Project' } }],
      },
    })
  })

  it.each([
    'Aufgabe,Beschreibung,Fälligkeitsdatum,Priorität,Zugewiesen an',
    'Tâche,Description,Échéance,Priorité,Assigné à',
    'Tarea,Descripción,Fecha de vencimiento,Prioridad,Asignado a',
    'Attività,Descrizione,Scadenza,Priorità,Assegnato a',
    'Taak,Omschrijving,Vervaldatum,Prioriteit,Toegewezen aan',
    'Tarefa,Descrição,Data de vencimento,Prioridade,Responsável',
    'Задача,Описание,Срок,Приоритет,Исполнитель',
    'Zadanie,Opis,Termin wykonania,Priorytet,Osoba odpowiedzialna',
    'Úkol,Popis,Termín splnění,Priorita,Řešitel',
    'Úloha,Popis,Termín splnenia,Priorita,Riešiteľ',
    'Uppgift,Beskrivning,Förfallodatum,Prioritet,Ansvarig',
    'Opgave,Beskrivelse,Forfaldsdato,Prioritet,Ansvarlig',
    'Oppgave,Beskrivelse,Forfallsdato,Prioritet,Ansvarlig',
    'Feladat,Leírás,Határidő,Prioritás,Felelős',
    'Görev,Açıklama,Bitiş Tarihi,Öncelik,Sorumlu',
    'Tehtävä,Kuvaus,Määräpäivä,Prioriteetti,Vastuuhenkilö',
    'Sarcină,Descriere,Termen limită,Prioritate,Responsabil',
  ])('a draft of tasks knows the words of %s', header => {
    const { record, body } = content(draftFor(`${header}\nOne,Text,2026-01-02,high,ann@example.com`))
    const [name, description, due, priority, assignee] = header.split(',')
    expect(record).toBe('task')
    expect(body).toMatchObject({
      name: { from: name },
      description: { from: description },
      date_info: { due_date: { from: due } },
      priority: { from: priority },
      assigned_user: { email: { from: assignee } },
    })
  })

  it('a draft of tasks asks whether a column is the name if none is called so', () => {
    const products = draftFor('SKU,Product Name,Price\nA-1,Lamp,12.50\nA-2,Rug,99')
    expect(content(products).body.name.from).toBe('Product Name')
    expect(comments(products)).toContain('Is "Product Name" what a contact is called by?')
    expect(comments(draftFor('Quux,Due date\nOne,2026-01-02', 'task'))).toContain(
      'Is "Quux" what is to be done?',
    )
    expect(comments(draftFor('Task\nOne'))).not.toContain('what is to be done')
  })

  it('an estimate by ISO 8601 is read as one in hours and minutes', () => {
    const draft = draftFor('Task,Due date,Estimate\nOne,2026-01-02,PT2H\nTwo,2026-01-03,PT30M')
    expect(content(draft).body.estimated_time).toEqual({ from: 'Estimate', as: 'duration', unit: 'hours' })
  })

  it('a draft of tasks asks what a number counts that nothing explains', () => {
    const draft = draftFor('Task,Due date,Estimate\nOne,2026-01-02,90\nTwo,2026-01-03,30')
    expect(content(draft).body.estimated_time).toBeUndefined()
    expect(comments(draft)).toMatch(/Does "90" \(column "Estimate"\) count hours, minutes or seconds\?/)
  })

  it('a draft of tasks asks which end of numbered priorities is the urgent one', () => {
    const draft = draftFor('Task,Due date,Priority\nOne,2026-01-02,1\nTwo,2026-01-03,4')
    expect(content(draft).body.priority).toBeUndefined()
    expect(comments(draft)).toMatch(/Which of "1", "4" is the most urgent\?/)
  })
})

describe('dates', () => {
  const due = (...values: string[]) => {
    const draft = draftOfCells(
      ['Task', 'Due date'],
      values.map((value, at) => [`T${at}`, value]),
    )
    return { due: content(draft).body.date_info?.due_date, said: comments(draft) }
  }

  it.each([
    [['2026-01-02'], { as: 'date' }],
    [['2026-01-02T10:00:00Z'], { as: 'datetime' }],
    [['2026-04-06', '2026-04-05 09:30'], { as: 'datetime' }],
    [['2026-04-05 09:30', '2026-04-06'], { as: 'datetime' }],
    [['25/04/2025', '03/04/2025'], { as: 'date', format: 'd/M/yyyy' }],
    [['04/25/2025', '03/04/2025'], { as: 'date', format: 'M/d/yyyy' }],
    [['03.04.2025'], { as: 'date', format: 'd.M.yyyy' }],
    [['25.4.25 9:05'], { as: 'datetime', format: 'd.M.yy H:mm' }],
    [['2025/04/03'], { as: 'date', format: 'yyyy/M/d' }],
    [['09/Jan/24 3:54 PM'], { as: 'datetime', format: 'd/MMM/yy h:mm a' }],
    [['Oct 5, 2026'], { as: 'date', format: 'MMM d, yyyy' }],
    [['5 October 2026', '12 May 2026'], { as: 'date' }],
    [['2026-10-05 09:30:00 UTC'], { as: 'datetime', format: "yyyy-MM-dd HH:mm:ss 'UTC'", zone: 'UTC' }],
    [['07/15/2009 02:14:45+0800'], { as: 'datetime', format: 'M/d/yyyy H:mm:ssZZZ' }],
    [['1760000000000'], { as: 'datetime', format: 'epoch_ms' }],
    [['46023'], { as: 'date', format: 'excel' }],
    [['20260105'], { as: 'date', format: 'yyyyMMdd' }],
  ])('dates such as %s are read', (values, rule) => {
    expect(due(...values).due).toMatchObject({ from: 'Due date', ...rule })
  })

  it('dates that can be read both ways are asked about, with both formats ready, and not sent', () => {
    const { due: rule, said } = due('03/04/2025', '05/06/2025')
    expect(rule).toBeUndefined()
    expect(said).toContain('Is "03/04/2025" in line 2 (column "Due date") 3 April or 4 March?')
    expect(said).toContain('due_date: { from: Due date, as: date, format: d/M/yyyy }')
    expect(said).toContain('due_date: { from: Due date, as: date, format: M/d/yyyy }')
  })

  it('dates of which some have the day first and some the month are asked about, too', () => {
    expect(due('25/04/2025', '04/25/2025').due).toBeUndefined()
  })

  it('dates that are none are left out and counted', () => {
    const { due: rule, said } = due('2026-01-02', 'TBD', '2026-02-30')
    expect(rule).toEqual({ from: 'Due date', as: 'date', otherwise: 'omit' })
    expect(said).toContain('Values that are not dates (2, first "TBD" in line 3) are left out')
  })

  it('dates in several forms get all their formats', () => {
    expect(due('2026-01-02', '25.12.2026', '13.1.2026').due.format).toEqual(['d.M.yyyy', 'iso'])
  })
})

describe('key', () => {
  const keyOf = (table: string) => content(draftFor(table)).key

  it('the key is an id that every row has, else an address', () => {
    expect(keyOf('Name,Email,Member ID\nAda,a@example.com,7\nBob,b@example.com,9')).toBe('Member ID')
    expect(keyOf('Name,Email\nAda,a@example.com\nBob,b@example.com')).toBe('Email')
  })

  it('the key is not what counts the rows, nor a name, nor a number to call', () => {
    expect(keyOf('No,Name,Phone\n1,Ada,+442079460101\n2,Bob,+442079460102')).toBeUndefined()
    const draft = draftFor('#,Name\n1,Ada\n2,Bob')
    expect(comments(draft)).toContain('"#" only counts the rows')
  })

  it('the key that some rows lack or share is reported with the place', () => {
    expect(comments(draftFor('Id,Name\n7,Ada\n7,Bob'))).toContain(
      'Id would be one, but line 3 repeats "7" of line 2',
    )
    expect(comments(draftFor('Id,Name\n7,Ada\n,Bob'))).toContain('Id would be one, but 1 of 2 rows have none')
  })

  it.each([
    ...['Hausnummer', 'Telefonnummer', 'Telnr', 'Fax-Nummer', 'Pager-Nummer', 'Zimmernummer', 'Kontonummer'],
    ...['Steuernummer', 'Week no', 'Seat number', 'Table number', 'Position no', 'Passport number'],
    ...['Serial No', 'Room No', 'Owner ID', 'Parent ID', 'Project ID', 'Sprint number', 'SKU', 'Number'],
  ])('the key is no %s, for it may change or name something else', column => {
    expect(keyOf(`Name,${column}\nAda,7701\nBob,9902`)).toBeUndefined()
    expect(keyOf(`Task,${column}\nOne,7701\nTwo,9902`)).toBeUndefined()
  })

  it.each([
    ...[
      'id',
      'UUID',
      'Contact ID',
      'taskId',
      'Issue key',
      'Member no',
      'Customer number',
      'Airtable Record ID',
    ],
    ...['Kundennummer', 'Mitglieds-Nr.', 'Schülernummer', 'Numéro de client', 'Número de socio'],
    ...['Klantnummer', 'Номер клиента', 'Numer klienta', 'Kundnummer', 'Müşteri No', '会員番号'],
  ])('the key may be %s, which a record keeps', column => {
    expect(keyOf(`Name,${column}\nAda,7701\nBob,9902`)).toBe(column)
  })

  it.each(['Account ID', 'Order #', 'Rechnungsnummer', 'Deal ID', 'Household Id', 'Номер заказа'])(
    'the key of a person is no %s, for several people share one',
    column => {
      const table = `First Name,Email,${column}\nAda,a@example.com,7701\nBob,b@example.com,9902`
      expect(keyOf(table)).toBe('Email')
    },
  )

  it('the key is asked about if a column may be one', () => {
    expect(comments(draftFor('Name,Code\nAda,x7\nBob,x9'))).toContain('Does a record keep it for good?')
  })

  it('the key of a task is no address of the one who does it', () => {
    expect(keyOf('Task,Assignee Email\nOne,a@example.com\nTwo,b@example.com')).toBeUndefined()
  })
})

describe('suggestions in comments', () => {
  const owned = `Name,Email,Contact owner,Company,Phone\nAda,a@example.com,Bob B,Fenwick,+442079460101\nBo,b@example.com,Cy C,Acme,12`
  const planned = `Task,Assignee,Due date,Start date,Estimate,Parent task,Priority,Project\nOne,Ada L,03/04/2025,soon,90,,1,P\nTwo,Bob B,05/06/2025,later,30,Three,2,P`

  it.each([
    ['contacts', owned, ['key', 'lookups', 'assigned_user_id', 'parent', 'custom_field_values', 'tests']],
    [
      'tasks',
      planned,
      [...['key', 'lookups', 'priority', 'assigned_user', 'date_info', 'estimated_time', 'parent'], 'tests'],
    ],
  ])('suggestions of %s can be put in unchanged, one by one and all together', (_, table, expected) => {
    const draft = draftFor(table)
    const found = suggestions(draft.text.split('\n'))
    const keys = found.map(({ key }) => key.trim())
    expect(keys.concat(Object.keys(content(draft)))).toEqual(expect.arrayContaining(expected))
    for (const at of found.keys()) {
      const text = putIn(draft.text, at)
      const mapping = compileMapping('draft.yaml', text, '')
      expect(text).not.toBe(draft.text)
      for (const name of Object.keys(mapping.lookupSpecs))
        expect(['users', 'organizations', 'parents']).toContain(name)
    }
  })

  it('a suggestion looks a parent up by the column that all parents are called by', () => {
    const draft = content(draftFor('No,Task,Assignee,Parent\n1,Paint,Ann,\n2,Sand,Ann,1\n3,Sweep,Bo,1'))
    expect(draft.lookups).toEqual({ parents: { self: true, by: 'No' } })
    expect(draft.body.parent).toEqual({ record_id: { from: 'Parent', lookup: 'parents', missing: 'omit' } })
  })

  it('a suggestion has its question above its field and at the top, also in a group of comments', () => {
    const { text } = draftFor('Task,Due date,Start\nOne,03/04/2026,\nTwo,05/06/2026,soon', 'task')
    expect(text).toMatch(/^ +# \? Is "03\/04\/2026" in line 2/m)
    expect(text).toMatch(
      /^# 2 questions are below, marked with "# \?": date_info\.start_date,\s(# )?date_info\.due_date\.$/m,
    )
    const date = { from: 'Due date', as: 'date', format: 'd/M/yyyy' }
    const answered = text.replace('# date_info:', 'date_info:').replace('# due_date:', 'due_date:')
    expect(parse(answered).body.date_info).toEqual({ due_date: date })
  })

  it('suggestions name all lookups in one block, and a user of a task by id', () => {
    const { text } = draftFor(planned)
    expect(text.match(/lookups:/g)).toHaveLength(1)
    expect(text).toContain(
      '# assigned_user: { user_id: { from: Assignee, lookup: users, missing: omit, as: integer } }',
    )
    expect(text).toContain('#   parents: { results: parents.results.ndjson }')
    expect(draftFor(owned).text).toContain('# assigned_user_id: { from: Contact owner, lookup: users')
  })
})

describe('draft', () => {
  it('a draft names every column that it does not map, with an example', () => {
    const said = comments(draftFor('Name,Shoe size,Newsletter,Labels,Labels\nAda,39,ja,x,\nBob,42,nein,,y'))
    expect(said).toContain('Shoe size: "39"')
    expect(said).toContain('Newsletter: "ja"')
    expect(said).toContain('Labels: "x"')
  })

  it('a draft drafts the other record if the person says so', () => {
    expect(content(draftFor('First name,Last name\nAda,L', 'task')).record).toBe('task')
  })

  it('a draft says how the source is to be read if an import would not know it', () => {
    const draft = draftFor('Name\nAda', undefined, {
      settings: { delimiter: ';', header: { type: 'starts_with', cell: 'Name' }, ragged: 'invalid' },
      encoding: { name: 'windows-1252', by: 'guess' },
      usual: { format: true, delimiter: false, encoding: false },
    })
    expect(content(draft).source).toEqual({
      delimiter: ';',
      encoding: 'windows-1252',
      header: { starts_with: 'Name' },
    })
  })

  const word = fc.constantFrom(
    ...[
      'Name',
      'First Name',
      'Last Name',
      'Email',
      'Phone',
      'Company',
      'Due date',
      'Priority',
      'Estimate',
      'Task',
    ],
    ...[
      'Website',
      'Tags',
      'Assignee',
      'Notes',
      'Id',
      '#',
      '.',
      '.x',
      '{{Name}}',
      'a: b',
      '# c',
      '"',
      "'",
      '- x',
      'null',
      '1',
    ],
    ...[
      'true',
      '*a',
      '&a',
      '!t',
      '%',
      '@',
      '\u0085',
      '\u2028',
      'é́',
      '✓',
      '__proto__',
      'constructor',
      'rowlift_key',
      'x\ny',
      '{',
      '[',
      '}',
    ],
  )
  const cell = fc.oneof(
    fc.constantFrom(
      ...[
        '',
        ' ',
        'x',
        'ada@example.com',
        'a@example.com;b@example.com',
        '+442079460101',
        '020 7946 0101',
        '03/04/2025',
      ],
      ...[
        '25/04/2025',
        '2026-01-02',
        '31/02/2026',
        '1760000000000',
        '46023',
        'yes',
        'nein',
        '1h 30m',
        '90',
        'https://example.com/x',
      ],
      ...[
        'High',
        '1',
        '1,234.5',
        '1.234,5',
        'a, b',
        '[a]',
        '["a"',
        '{{x}}',
        '\ud800',
        'Jan 5, 2026',
        '12 mars 2026',
        '5/5/05 13:00 PM',
      ],
    ),
    fc.string(),
    anyText({ maxLength: 12 }),
  )
  const name = fc.oneof(word, fc.string(), anyText({ maxLength: 8 })).map(text => text.trim())

  it('a draft compiles for any header and cells, and refuses only rows that hold nothing', () => {
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 8 }).chain(header =>
          fc.record({
            header: fc.constant(header),
            rows: fc.array(fc.array(cell, { minLength: header.length, maxLength: header.length }), {
              maxLength: 6,
            }),
          }),
        ),
        fc.constantFrom('contact', 'task', undefined),
        ({ header, rows }, record) => {
          const draft = draftOfCells(header, rows, record)
          const full = rows.filter(cells => cells.some(text => text.trim() !== ''))
          expect(content(draft).body).toBeTypeOf('object')
          // a line such as "*A" under the others may be a legend
          if (!comments(draft).includes('leaves out the lines above that are no rows'))
            expect(draft.counts.rows).toBeGreaterThanOrEqual(full.length)
          if (full.length === 0) expect(draft.counts.refused).toBe(rows.length)
        },
      ),
      { numRuns: repeats(300) },
    )
  })
})
