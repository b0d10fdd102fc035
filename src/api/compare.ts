type Json = Readonly<Record<string, unknown>>

/** Empty values are not compared, nor is what a value became: the service may write it otherwise. */
export function missingInAnswer(sent: unknown, answer: unknown, path = ''): string[] {
  if (answer === undefined || answer === null || answer === '') return isEmpty(sent) ? [] : [path]
  if (typeof sent !== 'object' || sent === null || typeof answer !== 'object') return []
  const at = (key: string | number) => (path === '' ? `${key}` : `${path}.${key}`)
  if (Array.isArray(sent)) {
    const found = Array.isArray(answer) ? counterparts(sent, answer) : sent
    return sent.flatMap((element, index) => missingInAnswer(element, found[index], at(index)))
  }
  return Object.entries(sent).flatMap(([key, value]) =>
    missingInAnswer(value, own(answer, key) ?? own(answer, otherName(key)), at(key)),
  )
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every(isEmpty)
    : value === undefined || value === null || value === ''

/** The value of an own key; undefined for null. */
const own = (value: object, key: string) =>
  Object.hasOwn(value, key) ? ((value as Json)[key] ?? undefined) : undefined

/** An id may come back as the object that it names, or the other way round: `assigned_user_id` and `assigned_user`. */
const otherName = (key: string) => (/_ids?$/.test(key) ? key.replace(/_id(s?)$/, '$1') : `${key}_id`)

/** What tells the elements of a list apart (interface 2), the surest first. */
const exact = ['custom_field_id', 'record_id', 'project_id', 'user_id', 'option_id']
const idNames = [...exact, 'email', 'phone_number', 'name']

/** The first id that an element has, or the element itself where it is no object; in lower case. */
function idOf(element: unknown, names = idNames): string | undefined {
  if (typeof element !== 'object' || element === null) return `${element}`.toLowerCase()
  const name = names.find(name => own(element, name) !== undefined)
  return name && `${own(element, name)}`.toLowerCase()
}

/** For each element that was sent, the one of the answer with the same id; where the service may write that otherwise, the next one. */
function counterparts(sent: readonly unknown[], answer: readonly unknown[]): readonly unknown[] {
  if (sent.every((element, index) => idOf(element) === idOf(answer[index]))) return answer // by far the most
  const byId = new Map<string, unknown[]>()
  for (const element of answer)
    for (const id of new Set(idNames.map(name => idOf(element, [name]) ?? '')))
      if (!byId.get(id)?.push(element)) byId.set(id, [element])
  const found = sent.map(element => {
    const id = idOf(element)
    const same = (id && byId.get(id)) || []
    return same.length > 1 ? same.shift() : same[0]
  })
  const taken = new Set(found)
  const rest = answer.filter(element => !taken.has(element)).values()
  return found.map((element, index) => {
    const isExact = typeof sent[index] === 'object' && idOf(sent[index] ?? {}, exact) !== undefined
    return element ?? (isExact || isEmpty(sent[index]) ? undefined : rest.next().value)
  })
}
