import { wordList } from './header-words.ts'

const setOf = (text: string): ReadonlySet<string> => new Set(wordList(text))

/** Ids of a record by themselves. */
const plainIds = setOf(
  'id|uid|uuid|guid|key|leid|euid|record|record ref|identifier|unique identifier|identifiant|identificador|identificativo|identifikator|kennung|identyfikator|azonosító|tunniste|case safe id|ид|идентификатор',
)
/** What has an id of its own and may be what a row is. */
const things =
  'record|issue|ticket|task|contact|customer|client|person|member|membership|lead|subscriber|participant|attendee|guest|donor|student|patient|employee|staff|personnel|vendor|supplier|account|case|order|invoice|item|work item|card|story|bug|activity|todo|row|entry|external|unique|internal|legacy|system|object|global|source|crm|salesforce|hubspot'
/** In other languages, in front of or behind the word for id. */
const foreignThings =
  'kunde|kunden|kontakt|mitglied|mitglieder|aufgabe|aufgaben|vorgang|vorgangs|mitarbeiter|auftrag|auftrags|client|tâche|adhérent|employé|cliente|contacto|tarea|socio|empleado|contatto|attività|dipendente|contato|tarefa|klant|taak|lid|medewerker|клиент|клиента|контакта|задачи|сотрудника|klient|klienta|kontaktu|zadania|zákazník|zákazníka|úkolu|úlohy|kund|uppgift|opgave|oppgave|ügyfél|feladat|müşteri|görev|asiakas|tehtävä|client|sarcină'
const idWords = 'id|uid|uuid|guid|key|ref|identifier'

const ids = new Set([
  ...plainIds,
  ...pairs(things, idWords),
  ...pairs(foreignThings, 'id|uid'),
  ...wordList(foreignThings).flatMap(thing => [`id ${thing}`, `identifiant ${thing}`]),
])

/** Numbers that somebody gave to a customer, a ticket and the like, so that it keeps them. */
const numbers = new Set([
  ...pairs(
    'customer|client|member|membership|issue|ticket|task|record|order|invoice|employee|staff|personnel|case|contact|student|patient|donor|subscriber',
    'number|no|nr|num|code',
  ),
  ...german(
    'kunden|mitglieds|mitglieder|ticket|vorgangs|auftrags|bestell|rechnungs|mitarbeiter|personal|fall|aufgaben|kontakt',
  ),
  ...wordList('debitorennummer|debitorennr|aktenzeichen'),
  ...wordList(
    'klantnummer|klantnr|lidnummer|ticketnummer|bestelnummer|ordernummer|factuurnummer|personeelsnummer|zaaknummer',
  ),
  ...romance(
    'numéro|numero|n|no|num|code',
    'client|adhérent|membre|ticket|commande|facture|employé|salarié|dossier|matricule',
  ),
  ...romance(
    'número|numero|n|nº|núm|num|no|código|codigo',
    'cliente|socio|miembro|ticket|pedido|factura|empleado|caso|incidencia|sócio|membro|encomenda|fatura|funcionário|chamado',
  ),
  ...romance('numero|n|num|codice', 'cliente|socio|membro|ticket|ordine|fattura|dipendente|pratica'),
  ...romance('номер|код', 'клиента|заказа|счета|заявки|задачи|тикета|сотрудника|договора'),
  ...romance('numer|nr|kod', 'klienta|członka|zgłoszenia|zamówienia|faktury|pracownika|sprawy|zadania'),
  ...romance('číslo|kód', 'zákazníka|člena|objednávky|faktury|zaměstnance|zamestnanca|tiketu|úkolu|úlohy'),
  ...wordList(
    'kundnummer|kundnr|medlemsnummer|ärendenummer|ordernummer|fakturanummer|anställningsnummer|kundenummer|kundenr|ordrenummer|sagsnummer|saksnummer|medarbejdernummer|ansattnummer',
  ),
  ...wordList('asiakasnumero|jäsennumero|tilausnumero|laskunumero|henkilöstönumero|tikettinumero'),
  ...wordList('ügyfélszám|ügyfélazonosító|rendelésszám|tagszám|ügyszám|dolgozói szám'),
  ...pairs('müşteri|üye|sipariş|fatura|personel|bilet|talep', 'no|numarası|kodu'),
  ...romance('număr|nr|cod', 'client|comandă|factură|angajat|membru|tichet'),
  ...wordList(
    '客户编号|客戶編號|会员编号|订单编号|订单号|发票号|工单号|员工编号|顧客番号|会員番号|注文番号|請求書番号|社員番号|チケット番号|課題番号|顧客id|会員id',
  ),
])

/** Words that may name a record, and may as well be anything else. */
const perhaps = setOf(
  'number|no|nr|code|ref|reference|reference number|sku|ticket|nummer|numero|número|numéro|user id|номер|код|编号|番号|тикет',
)

const unnumbered = (words: string) => words.replace(/ \d+$/, '')

/** Whether a column that is called so names the records themselves. */
export const isIdWord = (words: string): boolean => {
  const plain = unnumbered(words)
  return ids.has(plain) || numbers.has(plain) || isOfProduct(plain)
}

/** Whether it may be so, which only a person can say. */
export const mayBeIdWord = (words: string): boolean => perhaps.has(unnumbered(words))

/** `airtable record id` is a record's id as well. */
function isOfProduct(words: string): boolean {
  const [first, ...rest] = words.split(' ')
  const tail = rest.join(' ')
  return rest.length === 2 && /^[a-z]{4,}$/.test(first ?? '') && !ofOthers.has(first ?? '') && ids.has(tail)
}

const ofOthers = setOf(
  'parent|owner|assigned|assignee|created|creator|modified|manager|master|related|linked|duplicate|previous|company|organization|project|team|reports|spouse|primary|main|blocked|blocking|epic|reporter|author|referring|referrer',
)

function pairs(first: string, second: string): string[] {
  return wordList(first).flatMap(thing => wordList(second).map(word => `${thing} ${word}`))
}

function german(things: string): string[] {
  return wordList(things).flatMap(thing => [`${thing}nummer`, `${thing}nr`, `${thing} nummer`, `${thing} nr`])
}

/** The number first and the thing behind it, with or without the small words between. */
function romance(first: string, things: string): string[] {
  return wordList(first).flatMap(word =>
    wordList(things).flatMap(thing => [
      `${word} ${thing}`,
      `${word} de ${thing}`,
      `${word} d ${thing}`,
      `${word} do ${thing}`,
      `${word} da ${thing}`,
      `${word} del ${thing}`,
      `${word} di ${thing}`,
    ]),
  )
}
