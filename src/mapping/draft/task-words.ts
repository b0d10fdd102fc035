import { wordList } from './header-words.ts'

/** What a column of tasks can hold. */
export const taskWords = {
  id: wordList(
    'id|task id|issue key|issue id|key|ticket id|ticket number|ticket no|issue number|uid|uuid|guid|external id|work item id|story id|card id|bug id|item id|record id|number|case number|aufgaben id|vorgangsnummer|ticketnummer|code|ref|reference|тикет',
  ),
  name: wordList(
    'task name|task|summary|subject|title|name|task title|issue title|content|ticket name|card name|card title|item|item name|headline|todo|to do|action|action item|activity|aufgabe|aufgabenname|titel|betreff|vorgang|vorgangsname|thema|bezeichnung|tâche|tache|titre|sujet|objet|nom|tarea|título|titulo|asunto|nombre|attività|attivita|titolo|oggetto|nome|tarefa|assunto|taak|taaknaam|onderwerp|naam|задача|название|тема|заголовок|任务|标题|件名|タスク|タスク名|zadanie|nazwa zadania|nazwa|tytuł|temat|úkol|název|název úkolu|předmět|úloha|názov|názov úlohy|predmet|uppgift|uppgiftsnamn|ärende|rubrik|ämne|opgave|opgavenavn|emne|overskrift|oppgave|oppgavenavn|tittel|feladat|feladat neve|tárgy|megnevezés|görev|görev adı|başlık|konu|iş|tehtävä|tehtävän nimi|otsikko|aihe|sarcină|sarcina|titlu|subiect|denumire',
  ),
  description: wordList(
    'description|notes|note|details|detail|content|body|text|task content|task description|ticket description|issue description|long description|beschreibung|notizen|notiz|details 1|bemerkung|bemerkungen|description détaillée|détails|remarques|descripción|descripcion|notas|descrizione|dettagli|descrição|detalhes|observações|omschrijving|beschrijving|notities|описание|заметки|подробности|描述|説明|comments|comment|comentarios|commentaires|kommentar|комментарий|opis|uwagi|notatki|szczegóły|treść|popis|poznámka|poznámky|podrobnosti|detaily|beskrivning|anteckningar|detaljer|beskrivelse|noter|notater|leírás|részletek|megjegyzés|açıklama|notlar|detaylar|ayrıntılar|kuvaus|lisätiedot|muistiinpanot|descriere|detalii|note 1|observații',
  ),
  due: wordList(
    'due date|due|due on|due at|deadline|end date|end|finish|ends at|abgabedatum|abgabetermin|zieldatum|target date|due by|finish date|planned end|date due|due date time|fälligkeitsdatum|fällig|fällig am|fälligkeit|termin|frist|enddatum|échéance|date d échéance|date limite|date de fin|fecha de vencimiento|vencimiento|fecha límite|fecha limite|fecha de entrega|fecha fin|scadenza|data di scadenza|data scadenza|termine|data de vencimento|prazo|data limite|data de entrega|vervaldatum|einddatum|uiterste datum|deadline 1|срок|срок выполнения|дата завершения|крайний срок|дедлайн|截止日期|期限|期日|締切|date|termin wykonania|termin realizacji|termin zakończenia|data zakończenia|data wykonania|koniec|termín|termín splnění|termín dokončení|datum splnění|lhůta|do kdy|konec|dátum splnenia|termín splnenia|koniec 1|lehota|förfallodatum|slutdatum|förfaller|sista datum|tidsfrist|klart senast|forfaldsdato|slutdato|afleveringsdato|forfallsdato|sluttdato|forfaller|határidő|esedékesség|befejezés|befejezés dátuma|bitiş|bitiş tarihi|son tarih|teslim tarihi|vade|termin tarihi|määräpäivä|eräpäivä|määräaika|päättymispäivä|termen|termen limită|data limită|data scadenței|scadență|data finalizării',
  ),
  start: wordList(
    'start date|start|started|started at|starts|starts at|start on|begin|begin date|planned start|date start|date begin|startdatum|beginn|anfang|anfangsdatum|date de début|début|fecha de inicio|inicio|data di inizio|inizio|data de início|início|begindatum|дата начала|начало|开始日期|開始日|data rozpoczęcia|rozpoczęcie|początek|data startu|zahájení|začátek|datum zahájení|dátum začatia|začiatok|startdato|påbörjad|påbegyndt|kezdés|kezdés dátuma|kezdő dátum|kezdete|başlangıç|başlangıç tarihi|başlama tarihi|aloitus|aloituspäivä|alkamispäivä|alkaa|data începerii|data de început|început|dată început',
  ),
  completed: wordList(
    'completed at|completed on|completed date|date completed|completion date|completed|resolved|resolved at|resolution date|closed|closed at|closed on|closed date|done at|done on|finished|finished at|date closed|erledigt am|abgeschlossen am|erledigt|fertiggestellt am|terminé le|date de clôture|fecha de finalización|completado|completata il|concluído em|voltooid op|afgerond op|дата выполнения|завершено|completed time|closed at utc|完成日期|完了日|ukończono|zakończono|data ukończenia|dokončeno|datum dokončení|dokončené|slutförd|slutfört|avslutad|fuldført|afsluttet|fullført|avsluttet|befejezve|elkészült|tamamlandı|tamamlanma tarihi|valmistunut|valmis|finalizat|finalizat la',
  ),
  created: wordList(
    'created|created at|created on|date created|creation date|created time|created date|erstellt|erstellt am',
  ),
  priority: wordList(
    'priority|task priority|ticket priority|prio|priorität|prioritaet|dringlichkeit|priorité|prioridad|priorità|prioridade|prioriteit|приоритет|importance|urgency|severity|优先级|優先度|priorytet|ważność|priorita|důležitost|dôležitosť|prioritet|viktighet|prioritering|prioritás|fontosság|öncelik|önem|prioriteetti|tärkeys|prioritate',
  ),
  status: wordList(
    'status|state|progress|stage|task status|ticket status|list|list name|bucket|bucket name|section|section column|workflow state|done|is done|is completed|complete|zustand|statut|état|estado|stato|situação|статус|состояние|状态|ステータス|stan|etap|stav|fáze|fáza|tillstånd|tilstand|állapot|státusz|durum|aşama|tila|vaihe|stare|stadiu',
  ),
  assigneeEmail: wordList(
    'assignee email|assigned to email|owner email|responsible email|email des verantwortlichen|assignee email address|user email',
  ),
  assignee: wordList(
    'assignee|assignees|assign|assign to|assigned to user|assigned user|person|people|assigned to|assigned|owner|responsible|task owner|ticket owner|person responsible|who|zugewiesen an|zugewiesen|verantwortlich|verantwortlicher|zuständig|bearbeiter|bearbeitet von|assigné à|attribué à|responsable|asignado a|asignado|assegnato a|responsabile|atribuído a|responsável|toegewezen aan|verantwoordelijke|исполнитель|ответственный|назначен|负责人|担当者|担当|user|agent|resource|members|osoba odpowiedzialna|odpowiedzialny|przypisany|przypisany do|przypisane do|wykonawca|przydzielono|přiřazeno|přiřazen|řešitel|odpovědná osoba|zodpovídá|odpovědný|priradené|priradený|riešiteľ|zodpovedný|zodpovedná osoba|ansvarig|tilldelad|tilldelad till|tilldelat|handläggare|ansvarlig|tildelt|tildelt til|behandler|felelős|hozzárendelve|megbízott|atanan|atanan kişi|sorumlu|sorumlu kişi|vastuuhenkilö|vastaava|vastuullinen|tekijä|responsabil|atribuit|atribuit lui|persoană responsabilă|alocat',
  ),
  followers: wordList('followers|watchers|collaborators|cc|beobachter|observadores|seguidores|наблюдатели'),
  project: wordList(
    'project|projects|project name|board|board name|projekt|projekte|projektname|projet|proyecto|progetto|projeto|project naam|проект|项目|プロジェクト|nazwa projektu|název projektu|názov projektu|projektnamn|projektnavn|prosjekt|prosjektnavn|projekt neve|projektnév|proje|proje adı|projekti|projektin nimi|proiect|nume proiect',
  ),
  parent: wordList(
    'parent|parent task|parent id|parent issue|parent key|parent task id|übergeordnete aufgabe|tâche parente|tarea principal|родительская задача|epic|epic link|zadanie nadrzędne|nadřazený úkol|nadradená úloha|överordnad uppgift|overordnet opgave|overordnet oppgave|szülő feladat|üst görev|ylätehtävä',
  ),
  estimate: wordList(
    'estimate|estimated time|time estimate|original estimate|estimated hours|estimate hours|estimate h|time estimated|effort|estimated effort|total work|planned hours|duration|work|aufwand|geschätzter aufwand|geschätzte zeit|geplante stunden|dauer|estimation|temps estimé|durée|estimación|tiempo estimado|duración|stima|tempo stimato|durata|estimativa|tempo estimado|schatting|geschatte tijd|оценка|оценка времени|трудоемкость|длительность|estimated minutes|estimate minutes|estimate min|hours|szacowany czas|odhad|odhadovaný čas|uppskattad tid|tidsuppskattning|estimeret tid|estimert tid|becsült idő|tahmini süre|arvioitu aika|timp estimat',
  ),
  spent: wordList(
    'time spent|spent|actual time|actual hours|actual work|logged time|hours spent|time logged|aufgewendet|ist stunden|temps passé|tiempo empleado|затрачено',
  ),
  tags: wordList(
    'tags|labels|tag|label|categories|category|keywords|schlagwörter|etiketten|étiquettes|etiquetas|etichette|категория|метки|теги|标签|ラベル|tagi|etykiety|kategorie|štítky|značky|kategória|taggar|etiketter|kategorier|mærker|merkelapper|címkék|kategória 1|etiketler|kategori|tunnisteet|tagit|kategoria|etichete|categorii|taguri',
  ),
  billable: wordList(
    'billable|is billable|abrechenbar|facturable|fatturabile|faturável|declarabel|chargeable',
  ),
  archived: wordList('archived|is archived|archiviert'),
} as const
export type TaskRole = keyof typeof taskWords
