/** Words without case, accents, signs and numbers: `E-Mail 1 - Value` is `e mail value`. */
const plain = (name: string): string =>
  name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}]+/gu, ' ')
    .trim()

/** Usual names of columns of people and tasks, by the encodings of their languages; hardly any value is one of them. */
const lists: readonly (readonly [encodings: RegExp, ...words: string[]])[] = [
  [
    /./,
    'id|uid|key|name|full name|first name|last name|middle name|given name|family name|surname|nickname|display name|email|e mail|mail|email address|e mail address|e mail value|phone|phone number|phone value|mobile|mobile phone|telephone|tel|fax|company|company name|organization|organisation|account name|job title|title|position|department|street|address|city|state|zip|zip code|postal code|postcode|country|region|website|url|birthday|notes|note|comments|description|tags|labels|category|categories|type',
    'task|task name|task id|subject|summary|status|priority|due|due date|deadline|start|start date|end date|created|created at|completed|assignee|assigned to|owner|project|section|list|estimate|parent|done|progress|date|contact|customer|content|issue key|issue type',
    '姓名|名字|电话|手机|邮箱|电子邮件|公司|职位|地址|城市|任务|标题|描述|截止日期|优先级|状态|负责人|氏名|名前|姓|名|会社|会社名|電話|電話番号|メール|メールアドレス|住所|件名|タスク|タスク名|説明|期限|期日|優先度|担当者|ステータス|電話號碼|電子郵件|地址|手機|備註|이름|성명|전화|전화번호|휴대폰|이메일|회사|주소|업무|제목|상태|담당자|마감일',
  ],
  [
    /^(windows-1252|iso-8859-1|macintosh|cp850)$/,
    'vorname|nachname|firma|unternehmen|telefon|telefonnummer|handy|mobil|straße|strasse|hausnummer|plz|postleitzahl|ort|stadt|land|notiz|notizen|bemerkung|anrede|titel|aufgabe|betreff|beschreibung|fällig|fällig am|fälligkeitsdatum|priorität|zuständig|verantwortlich|projekt|kundennummer|geburtstag|abteilung|webseite|e mail adresse',
    'nom|prénom|courriel|téléphone|portable|société|entreprise|rue|ville|code postal|pays|remarques|tâche|titre|échéance|priorité|statut|projet|fonction|adresse',
    'nombre|apellido|apellidos|correo|correo electrónico|teléfono|móvil|empresa|calle|ciudad|código postal|país|notas|tarea|título|fecha|vencimiento|prioridad|estado|responsable|proyecto|cargo',
    'nome|cognome|telefono|cellulare|azienda|via|città|cap|paese|note|attività|scadenza|priorità|stato|sobrenome|apelido|telefone|telemóvel|rua|cidade|país|tarefa|prazo|prioridade|responsável|projeto',
    'voornaam|achternaam|naam|telefoon|telefoonnummer|mobiel|bedrijf|straat|plaats|woonplaats|opmerkingen|taak|onderwerp|omschrijving|vervaldatum|prioriteit|functie|e mailadres',
    'förnamn|efternamn|namn|e post|företag|adress|postnummer|ort|stad|anteckningar|uppgift|beskrivning|fornavn|etternavn|efternavn|navn|firma|selskap|virksomhed|by|poststed|opgave|oppgave|beskrivelse|frist|noter|notater|etunimi|sukunimi|nimi|sähköposti|puhelin|yritys|kaupunki|osoite|tehtävä|kuvaus',
  ],
  [
    /^(windows-1250|iso-8859-2)$/,
    'imię|nazwisko|firma|stanowisko|miasto|ulica|kraj|uwagi|kod pocztowy|zadanie|tytuł|opis|termin|priorytet|osoba|nazwa|jméno|příjmení|meno|priezvisko|společnost|spoločnosť|poznámka|město|mesto|ulice|psč|úkol|úloha|název|názov|popis',
    'keresztnév|vezetéknév|név|cég|cégnév|telefon|város|utca|irányítószám|megjegyzés|feladat|határidő|prenume|nume|telefon|companie|oraș|stradă|sarcină|descriere',
  ],
  [
    /^(windows-1254|iso-8859-9)$/,
    'ad|adı|soyad|soyadı|şirket|telefon|e posta|eposta|şehir|adres|görev|açıklama',
  ],
  [
    /^(windows-1251|koi8-r)$/,
    'имя|фамилия|фио|почта|электронная почта|телефон|компания|должность|адрес|город|индекс|страна|задача|название|описание|срок|приоритет|статус|исполнитель|проект|примечание',
  ],
]
const encodingsOf = new Map(
  lists.flatMap(([encodings, ...words]) =>
    words.flatMap(list => list.split('|').map(word => [word, encodings] as const)),
  ),
)
const names = new Set([...encodingsOf.keys()].map(plain))

/** The number of cells that are usual names of columns. */
export const knownNames = (cells: readonly string[]): number =>
  cells.filter(cell => cell.length < 60 && names.has(plain(cell))).length

/** The number of cells that are such names with letters beyond ASCII, in a language of the encoding. */
export const namesIn = (encoding: string, cells: readonly string[]): number =>
  cells.filter(cell => /[^ -~]/.test(cell) && encodingsOf.get(cell.trim().toLowerCase())?.test(encoding))
    .length
