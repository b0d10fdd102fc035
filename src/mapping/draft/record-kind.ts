import type { RecordType } from '../../records/kinds.ts'
import type { Column } from './column.ts'
import type { ContactRole } from './contact-words.ts'
import type { Match } from './match.ts'
import type { TaskRole } from './task-words.ts'

const contactWeights: Partial<Record<ContactRole, number>> = {
  first: 3,
  last: 3,
  email: 3,
  phone: 3,
  company: 2,
  designation: 1,
  website: 1,
  linkedin: 2,
  street: 1,
  city: 1,
  postal: 2,
  country: 1,
  address: 1,
  prefix: 1,
  name: 0.5,
}
const taskWeights: Partial<Record<TaskRole, number>> = {
  due: 4,
  assignee: 3,
  assigneeEmail: 3,
  estimate: 3,
  priority: 2,
  status: 1.5,
  project: 1.5,
  completed: 2,
  start: 1.5,
  parent: 1.5,
  billable: 2,
  spent: 2,
  followers: 1.5,
  tags: 0.5,
  description: 0.25,
  name: 0.5,
}
/** Words that name a task and nothing of a person. */
const plainTask =
  /^(task|summary|subject|ticket name|card name|issue|aufgabe|betreff|tache|tarea|taak|задача|todo|件名|タスク|zadanie|nazwa zadania|ukol|uloha|uppgift|opgave|oppgave|feladat|tehtava|sarcin)|^(gorev|nazov ulohy|nazev ukolu)( |$)/

/** Whether rows are contacts or tasks, by what their columns are called and hold. */
export function recordKind(
  columns: readonly Column[],
  contact: readonly Match<ContactRole>[],
  task: readonly Match<TaskRole>[],
): RecordType {
  const taskScore =
    scoreOf(task, taskWeights) + (task.some(({ column }) => plainTask.test(column.words)) ? 3 : 0)
  const namedContact = scoreOf(contact, contactWeights)
  const isOfContacts = (column: Column) => !task.some(match => match.column === column && match.distance < 2)
  const valued = columns.filter(
    ({ fits, filled }) =>
      filled > 0 && (fits.email.count > filled / 2 || fits.international.count > filled / 2),
  )
  const contactScore =
    namedContact +
    (valued.some(column => isOfContacts(column) && !contact.some(match => match.column === column)) ? 3 : 0)
  return taskScore > contactScore ? 'task' : 'contact'
}

/** The weights of the roles that occur; a role that several columns have counts once. */
function scoreOf<Role extends string>(
  matches: readonly Match<Role>[],
  weights: Partial<Record<Role, number>>,
): number {
  const roles = new Set(matches.filter(({ distance }) => distance <= 3).map(({ role }) => role))
  return [...roles].reduce((sum, role) => sum + (weights[role] ?? 0), 0)
}
