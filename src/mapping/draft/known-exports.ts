/** Columns by which an export of a product is known: all of one of the lists have to be there. */
interface KnownExport {
  readonly preset: string
  readonly columns: readonly (readonly string[])[]
  /** A column that only another kind of export of the product has. */
  readonly without?: string
}

/** The more telling ones first, for some products share columns. */
const knownExports: readonly KnownExport[] = [
  {
    preset: 'google-contacts',
    columns: [
      ['Given Name', 'Family Name', 'Yomi Name', 'Group Membership'],
      ['Name', 'Given Name', 'Family Name', 'Group Membership', 'E-mail 1 - Value'],
      ['First Name', 'Last Name', 'Phonetic First Name', 'File As', 'Labels'],
      ['First Name', 'Last Name', 'Organization Name', 'Labels', 'E-mail 1 - Value'],
    ],
  },
  {
    preset: 'outlook',
    columns: [
      ['First Name', 'Last Name', 'Company', 'Business Street', 'E-mail Address'],
      ['First Name', 'Last Name', 'Business Phone', 'E-mail Address', 'E-mail Display Name'],
      ['First Name', 'Last Name', 'E-mail Address', 'E-mail 2 Address', 'Mobile Phone'],
    ],
  },
  {
    preset: 'thunderbird',
    columns: [
      ['First Name', 'Last Name', 'Display Name', 'Primary Email', 'Screen Name'],
      ['First Name', 'Last Name', 'Display Name', 'Primary Email', 'Secondary Email'],
    ],
  },
  {
    preset: 'hubspot-companies',
    columns: [
      ['Record ID', 'Company name', 'Company Domain Name'],
      ['Record ID', 'Company name', 'Company owner'],
      ['Company ID', 'Company name', 'Company Domain Name'],
      ['Record ID', 'Company Name', 'Company Domain Name'],
      ['Company ID', 'Company Name', 'Company Domain Name'],
    ],
  },
  {
    preset: 'hubspot-contacts',
    columns: [
      ['Record ID', 'First Name', 'Last Name', 'Email', 'Phone Number'],
      ['Record ID', 'First Name', 'Last Name', 'Email', 'Lifecycle Stage'],
      ['Record ID', 'First Name', 'Last Name', 'Email', 'Contact owner'],
      ['Record ID', 'First Name', 'Last Name', 'Email', 'Associated Company'],
      ['Contact ID', 'First Name', 'Last Name', 'Email', 'Associated Company Domain'],
      ['Contact ID', 'First Name', 'Last Name', 'Email', 'Lifecycle Stage'],
    ],
  },
  {
    preset: 'salesforce-contacts',
    columns: [
      ['ID', 'ISDELETED', 'ACCOUNTID', 'LASTNAME', 'FIRSTNAME'],
      ['ID', 'ACCOUNTID', 'LASTNAME', 'FIRSTNAME', 'EMAIL'],
      ['Id', 'AccountId', 'LastName', 'FirstName', 'Email'],
      ['Contact ID', 'First Name', 'Last Name', 'Account Name'],
      ['First Name', 'Last Name', 'Email', 'Account Name', 'Mailing State/Province'],
    ],
  },
  {
    preset: 'salesforce-accounts',
    columns: [
      ['ID', 'ISDELETED', 'NAME', 'PARENTID', 'BILLINGSTREET'],
      ['ID', 'NAME', 'BILLINGCITY', 'OWNERID'],
      ['Id', 'Name', 'ParentId', 'BillingStreet'],
      ['Id', 'Name', 'BillingCity', 'OwnerId'],
      ['Id', 'Name', 'ParentId', 'ShippingCity'],
      ['Account ID', 'Account Name', 'Billing City'],
      ['Account Name', 'Billing City', 'Billing State/Province', 'Account Owner'],
    ],
  },
  {
    preset: 'linkedin',
    columns: [['First Name', 'Last Name', 'Email Address', 'Company', 'Position', 'Connected On']],
  },
  {
    preset: 'mailchimp',
    columns: [
      ['Email Address', 'MEMBER_RATING', 'OPTIN_TIME'],
      ['Email Address', 'LEID', 'EUID'],
      ['Email Address', 'OPTIN_TIME', 'LAST_CHANGED'],
      ['EMAIL', 'MEMBER_RATING', 'OPTIN_TIME'],
      ['EMAIL', 'LEID', 'EUID'],
      ['EMAIL', 'FNAME', 'LNAME'],
    ],
  },
  {
    preset: 'pipedrive',
    without: 'Activity - Subject',
    columns: [
      ['Person - ID', 'Person - Name'],
      ['Person - Name', 'Person - Email', 'Person - Phone'],
      ['Person - Name', 'Organization - Name', 'Person - Email'],
    ],
  },
  {
    preset: 'asana',
    columns: [
      ['Task ID', 'Created At', 'Completed At', 'Last Modified', 'Name', 'Section/Column'],
      ['Task ID', 'Name', 'Section/Column', 'Assignee Email', 'Parent task'],
    ],
  },
  {
    preset: 'jira',
    columns: [
      ['Summary', 'Issue key', 'Issue id', 'Issue Type', 'Status'],
      ['Summary', 'Issue key', 'Issue Type', 'Project key'],
      ['Summary', 'Issue id', 'Issue Type', 'Reporter'],
    ],
  },
  {
    preset: 'todoist',
    columns: [
      ['TYPE', 'CONTENT', 'PRIORITY', 'INDENT', 'AUTHOR', 'RESPONSIBLE', 'DATE'],
      ['TYPE', 'CONTENT', 'PRIORITY', 'INDENT'],
    ],
  },
  {
    preset: 'ticktick',
    columns: [
      ['Folder Name', 'List Name', 'Title', 'Is Check list', 'Created Time'],
      ['List Name', 'Title', 'Tags', 'Content', 'Is Check list', 'Due Date'],
    ],
  },
  {
    preset: 'clickup',
    columns: [
      ['Task ID', 'Task Name', 'Task Content', 'Space Name'],
      ['Task ID', 'Task Name', 'Time Estimated', 'Time Estimated Text'],
      ['Task ID', 'Task Name', 'Due Date', 'Due Date Text'],
    ],
  },
  {
    preset: 'trello',
    columns: [
      ['Card ID', 'Card Name', 'Card URL', 'List Name'],
      ['Card ID', 'Card Name', 'Board Name'],
    ],
  },
  {
    preset: 'planner',
    columns: [
      ['Task Name', 'Bucket Name', 'Progress', 'Assigned To'],
      ['Task Name', 'Bucket Name', 'Progress', 'Priority'],
    ],
  },
]

/** Keys of one kind of NDJSON: of GitHub's issues a title, a number and an author with a login. */
const knownObjects: readonly KnownExport[] = [
  {
    preset: 'github-issues',
    columns: [
      ['number', 'title', 'state', 'author.login'],
      ['number', 'title', 'url', 'closedAt'],
      ['number', 'title', 'url', 'labels'],
      ['number', 'title', 'url', 'assignees'],
      ['number', 'title', 'state', 'user.login'],
      ['number', 'title', 'state', 'url', 'createdAt'],
      ['number', 'title', 'state', 'html_url', 'created_at'],
    ],
  },
]

/** The preset that reads an export with these columns; of several the one that knows it by most of them. */
export function presetFor(columns: readonly string[], format: 'csv' | 'ndjson'): string | undefined {
  const there = new Set(columns)
  const known = (format === 'csv' ? knownExports : knownObjects).flatMap(
    ({ preset, without, columns: lists }) =>
      (without !== undefined && there.has(without) ? [] : lists)
        .filter(list => list.every(name => there.has(name)))
        .map(list => ({ preset, size: list.length })),
  )
  return known.sort((a, b) => b.size - a.size)[0]?.preset
}
