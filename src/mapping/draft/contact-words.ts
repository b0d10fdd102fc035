import { wordList } from './header-words.ts'

/** What a column of contacts can hold. */
export const contactWords = {
  id: wordList(
    'id|uid|uuid|guid|record|record id|contact id|customer id|client id|person id|member id|account id|external id|lead id|key|customer number|customer no|member number|kundennummer|kunden nr|mitgliedsnummer|numero client|codigo|codigo cliente|klantnummer|row id|leid|euid|case safe id|klient id|id klienta|kundnummer|kundenummer|medlemsnummer|asiakasnumero|ügyfélazonosító|müşteri no',
  ),
  name: wordList(
    'name|nom|nome|full name|fullname|display name|contact name|contact|person|customer name|client name|lead name|complete name|ansprechpartner|kontaktname|vollständiger name|anzeigename|nom complet|nom et prénom|contacto|nombre completo|nombre y apellidos|nome completo|naam|volledige naam|фио|имя и фамилия|полное имя|姓名|氏名|名前|imię i nazwisko|nazwisko i imię|pełna nazwa|jméno a příjmení|celé jméno|meno a priezvisko|celé meno|namn|fullständigt namn|för och efternamn|kontaktperson|navn|fulde navn|fullt navn|név|teljes név|kapcsolattartó|ad soyad|adı soyadı|isim soyisim|tam ad|nimi|koko nimi|yhteyshenkilö|nume|nume complet|nume și prenume|persoană de contact',
  ),
  first: wordList(
    'first name|firstname|first|given name|givenname|forename|fname|christian name|vorname|rufname|prénom|prenom|nombre|nombres|nome proprio|primeiro nome|nome de batismo|voornaam|имя|名|imię|imie|jméno|křestní jméno|meno|krstné meno|förnamn|tilltalsnamn|fornavn|keresztnév|utónév|ad|adı|isim|etunimi|prenume',
  ),
  middle: wordList(
    'middle name|middlename|middle|middle initial|additional name|zweiter vorname|second name|segundo nombre|tussenvoegsel|отчество|drugie imię|prostřední jméno|mellannamn|mellemnavn|mellomnavn|ikinci ad|toinen nimi',
  ),
  last: wordList(
    'last name|lastname|last|surname|family name|familyname|lname|nachname|familienname|zuname|nom de famille|apellido|apellidos|cognome|sobrenome|apelido|achternaam|фамилия|姓|nazwisko|příjmení|priezvisko|efternamn|efternavn|etternavn|vezetéknév|családnév|soyad|soyadı|soyisim|sukunimi|nume de familie',
  ),
  prefix: wordList(
    'name prefix|prefix|salutation|honorific|anrede|civilité|civilite|tratamiento|trattamento|aanhef|обращение|oslovení|oslovenie|titel 1|megszólítás|unvan 1',
  ),
  suffix: wordList('name suffix|suffix'),
  nickname: wordList(
    'nickname|nick name|file as|short name|alias|spitzname|surnom|apodo|soprannome|apelido 2|bijnaam|pseudonim|przezwisko|přezdívka|prezývka|smeknamn|kælenavn|kallenavn|becenév|takma ad|lempinimi|poreclă',
  ),
  email: wordList(
    'email|emails|email addresses|email address|mail|mail address|emailadresse|mailadresse|adresse email|adresse mail|courriel|adresse courriel|correo|correo electrónico|correo electronico|direccion de correo|posta elettronica|indirizzo email|endereço de email|emailadres|эл почта|электронная почта|почта|email value|邮箱|电子邮件|メール|メールアドレス|primary email address|email id|adres email|adres e mail|poczta|poczta elektroniczna|emailová adresa|mailová adresa|e post|epost|e postadress|epostadress|mejl|mejladress|e postadresse|epostadresse|emailadresse|emailcím|e posta|eposta|e posta adresi|eposta adresi|sähköposti|sähköpostiosoite|s posti|adresă de email|adresa de email|adresă email|poștă electronică',
  ),
  phone: wordList(
    'phone|phones|phone numbers|telephones|phone number|phone no|telephone|telephone number|telephone no|tel|tel no|tel nr|mobile|mobile phone|mobile number|mobile no|cell|cell phone|cellphone|cell number|handy|handynummer|mobil|mobilnummer|mobiltelefon|telefon|telefonnummer|rufnummer|téléphone|telephone portable|portable|mobile téléphone|numéro de téléphone|teléfono|telefono|móvil|movil|celular|cellulare|telefone|telemóvel|telemovel|telefoon|telefoonnummer|mobiel|gsm|телефон|мобильный|моб телефон|мобильный телефон|номер телефона|phone value|direct dial|direct line|landline|whatsapp|电话|手机|電話|電話番号|携帯電話|numer telefonu|nr telefonu|telefon komórkowy|komórka|tel kom|telefonní číslo|číslo telefonu|telefónne číslo|mobilní telefon|mobilný telefon|telefonnr|mobiltelefonnummer|mobilnr|mobilnummer|telefonszám|mobiltelefonszám|mobilszám|telefon numarası|telefon no|cep telefonu|cep|gsm no|puhelin|puhelinnumero|matkapuhelin|număr de telefon|nr telefon|telefon mobil',
  ),
  designation: wordList(
    'job title|title|position|role|job|job role|job position|function|occupation|designation|organization title|berufsbezeichnung|funktion|stelle|beruf|titel|titre|fonction|poste|cargo|puesto|ruolo|posizione|qualifica|função|functie|functietitel|beroep|должность|职位|役職|stanowisko|pozycja|funkcja|pozice|pracovní pozice|pracovná pozícia|pozícia|funkce|funkcia|befattning|yrkestitel|jobbtitel|yrke|roll|stilling|stillingsbetegnelse|jobtitel|tittel|beosztás|munkakör|pozíció|unvan|ünvan|görevi|pozisyon|meslek|ammattinimike|titteli|tehtävänimike|asema|funcție|funcția|poziție',
  ),
  company: wordList(
    'company|company name|organization|organisation|organization name|organisation name|account|account name|employer|business|business name|firm|firma|firmenname|unternehmen|organisation 1|société|societe|entreprise|raison sociale|empresa|compañía|organización|azienda|società|ditta|ragione sociale|organização|bedrijf|bedrijfsnaam|organisatie|компания|организация|название компании|associated company|company account|related company|current company|parent company 1|公司|会社|会社名|nazwa firmy|przedsiębiorstwo|organizacja|společnost|spoločnosť|název firmy|názov firmy|organizace|organizácia|företag|företagsnamn|bolag|virksomhed|selskab|firmanavn|virksomhet|selskap|bedrift|organisasjon|cég|cégnév|cég neve|vállalat|szervezet|şirket|şirket adı|kurum|kuruluş|firma adı|yritys|yrityksen nimi|organisaatio|companie|compania|nume companie|organizație|nume firmă|firmă',
  ),
  description: wordList(
    'notes|note|description|comments|comment|remarks|remark|about|bio|memo|notizen|notiz|bemerkung|bemerkungen|anmerkung|anmerkungen|kommentar|beschreibung|remarques|remarque|commentaire|commentaires|notas|observaciones|comentarios|descripción|note 1|osservazioni|descrizione|observações|descrição|opmerkingen|opmerking|notities|omschrijving|заметки|примечание|примечания|комментарий|описание|备注|備考|uwagi|notatki|opis|komentarz|poznámka|poznámky|popis|komentář|anteckning|anteckningar|noteringar|kommentarer|beskrivning|noter|bemærkninger|beskrivelse|notat|notater|merknader|megjegyzés|megjegyzések|jegyzet|leírás|notlar|not|açıklama|yorum|muistiinpanot|huomautukset|huomiot|lisätiedot|kuvaus|notițe|observații|descriere|comentarii',
  ),
  website: wordList(
    'website|web site|web|url|homepage|home page|web page|webpage|site|domain|company domain|company domain name|website url|company website|internet|webseite|internetseite|site web|site internet|página web|sitio web|sito web|sito|site 1|pagina web|сайт|веб сайт|web address|website value|网站|ホームページ|strona www|strona internetowa|witryna|webová stránka|webové stránky|webbplats|hemsida|webbsida|hjemmeside|webside|nettside|nettsted|weboldal|honlap|web sitesi|internet sitesi|verkkosivu|verkkosivusto|kotisivu|pagină web|site web 1',
  ),
  linkedin: wordList(
    'linkedin|linked in|linkedin url|linkedin profile|linkedin profile url|linkedin page|linkedin profilename|linkedin company page',
  ),
  twitter: wordList(
    'twitter|twitter url|twitter handle|twitter profile|x handle|twitter username|twitter account',
  ),
  facebook: wordList(
    'facebook|facebook url|facebook profile|facebook page|facebook profile name|facebook company page',
  ),
  github: wordList('github|github url|github profile|github username'),
  instagram: wordList('instagram|instagram url|instagram profile|instagram handle'),
  address: wordList(
    'address|full address|postal address|address formatted|formatted address|location|anschrift|adresse|adresse complète|dirección|direccion|indirizzo|endereço|morada|adres|адрес|地址|住所|mailing address|adresa|adress|postadress|cím|lakcím|osoite|postiosoite',
  ),
  street: wordList(
    'street|street address|address line 1|address 1|address1|address street|straße|strasse|str|straße hausnummer|straße und hausnummer|rue|calle|via|rua|straat|улица|street 1|ulica|ulice|ulica i numer|ulica a číslo|ulice a číslo|gata|gatuadress|gade|gate|gateadresse|vej|utca|utca házszám|sokak|cadde|katu|katuosoite|lähiosoite|stradă|strada',
  ),
  street2: wordList(
    'address line 2|address 2|address2|street 2|street address 2|adresszusatz|complément d adresse|apt|suite',
  ),
  city: wordList(
    'city|town|city town|town city|locality|address city|ort|stadt|wohnort|ville|ciudad|localidad|población|città|citta|cidade|localidade|plaats|stad|woonplaats|город|城市|市区町村|miasto|miejscowość|město|obec|mesto|postort|by|poststed|sted|város|település|helység|şehir|il|ilçe|kaupunki|postitoimipaikka|paikkakunta|oraș|orașul|localitate',
  ),
  region: wordList(
    'state|region|province|county|state region|state province|address region|address state|bundesland|land kreis|région|provincia|estado|regione|provincie|область|регион|都道府県|województwo|kraj 1|län|fylke|megye|maakunta|județ',
  ),
  postal: wordList(
    'zip|zip code|zipcode|postal code|postalcode|postcode|post code|zip postal code|address postal code|plz|postleitzahl|code postal|código postal|codigo postal|cp|cap|cep|индекс|почтовый индекс|邮编|郵便番号|kod pocztowy|psč|poštovní směrovací číslo|poštové smerovacie číslo|postnummer|postnr|irányítószám|irsz|posta kodu|postinumero|cod poștal|cod postal',
  ),
  country: wordList(
    'country|country region|country code|address country|land|staat|pays|país|pais|paese|nazione|страна|国家|国|kraj|państwo|země|stát|krajina|štát|ország|ülke|maa|țară|țara',
  ),
  avatar: wordList(
    'photo|avatar|avatar url|photo url|picture|image|image url|profile picture|foto|bild|photo link',
  ),
  latitude: wordList('latitude|lat|breitengrad|geo lat|latitud|latitudine'),
  longitude: wordList('longitude|lng|lon|long|längengrad|geo lng|geo lon|longitud|longitudine'),
  ownerEmail: wordList(
    'owner email|contact owner email|account owner email|assigned to email|account manager email',
  ),
  owner: wordList(
    'owner|contact owner|account owner|lead owner|company owner|record owner|assigned to|account manager|betreuer|zuständig|sales rep',
  ),
  kind: wordList(
    'is a company|is company|is an organization|is organization|contact type|record type|type|kind|entity type|typ|art|person type',
  ),
  archived: wordList(
    'archived|is archived|inactive|archiviert|archivé|archivado|zarchiwizowany|archivováno|arkiverad|arkiveret|arkivert|arkistoitu',
  ),
} as const
export type ContactRole = keyof typeof contactWords

/** Columns that speak for a list of organizations where no column names a person. */
export const organizationWords = wordList(
  'industry|employees|number of employees|annual revenue|revenue|company size|company domain name|domain|vat|vat number|vat id|ust id|tax id|siret|siren|nif|cif|branche|rechtsform|mitarbeiter|sector|ticker symbol|sic|naics|founded|year founded|legal form|legal name|handelsregister|parent company|company type|account type|account name|company name|firma|firmenname|nombre de salariés|raison sociale|partita iva|ragione sociale|kvk|nip|regon|ičo|dič|orgnr|org nr|organisationsnummer|organisasjonsnummer|cvr|cvr nummer|adószám|vergi no|vergi numarası|y tunnus|cui|cod fiscal|огрн|инн',
)
