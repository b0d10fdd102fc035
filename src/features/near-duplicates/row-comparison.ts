import { keyText } from '../../mapping/identity.ts'
import { isRepeated } from '../../model/content-key.ts'
import type { Fingerprint } from '../../model/fingerprint.ts'
import type { Mapped } from '../../model/outcome.ts'
import { problem } from '../../model/problem.ts'
import type { Body, Row, RowIdentity } from '../../model/row.ts'
import { isObject, present } from '../../model/values.ts'
import { counted, grouped, rows } from '../../output/text.ts'
import type { NearRows } from '../../result/run-result.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import { keyAdvice, likenessWords, NearDuplicates, type NearFacts } from './near-duplicates.ts'
import { textFingerprint, wordsFingerprint } from './text-hashes.ts'

export async function withComparison(prepared: PreparedImport): Promise<PreparedImport> {
  const { settings, mapping, sources } = prepared
  const holds = settings.nearDuplicates === 'hold'
  const feeds = (column: string, field: string) =>
    mapping.columns.fieldsOf(column).some(of => of.startsWith(field))
  const columns = ['emails', 'phones'].flatMap(
    field => sources.flatMap(({ columns = [] }) => columns).find(column => feeds(column, field)) ?? [],
  )
  const compared = new NearDuplicates(columns)
  /** Rows that wait for others are compared as they come, so that every run compares in the same order. */
  const waiting = new WeakMap<Row, ReturnType<typeof compared.add>>()
  const compare = (row: Row, { key }: RowIdentity, mapped: Mapped = mapping.map(row, true)) => {
    const body = 'waitsOn' in mapped ? mapped.partial : 'body' in mapped && mapped.body
    if (!body || (!holds && isRepeated(key))) return undefined // a row that equals another in all cells is reported as such
    const cells = columns.map(column => keyText(present(mapping.columns.blank(row.value(column)))))
    const near = waiting.has(row)
      ? waiting.get(row)
      : compared.add(row, keyText(body.name), nearKeysOf(body), cells)
    if ('waitsOn' in mapped) waiting.set(row, near)
    return near && holds ? { path: '', ...problem('near_duplicate', near) } : undefined
  }
  const page = settings.dryRun && settings.report !== undefined ? await import('./near-page.ts') : undefined
  let facts: NearFacts | undefined
  const factsOnce = () => {
    facts ??= compared.facts()
    return facts
  }
  const result = () => nearRows(factsOnce())
  const markup = () => page?.nearMarkup(factsOnce())
  return { ...prepared, comparison: { compare, result, markup, groups: () => compared.groups() } }
}

const mostInSummary = 10
const mostShown = 3

/** Describes the groups in every form in which a result is shown; logs are kept, so they have no names. */
function nearRows(facts: NearFacts): NearRows {
  const { first, key, ...counts } = facts
  const lines = first.slice(0, mostShown).map(({ by, size, rows }) => {
    const places = rows.slice(0, mostShown).map(({ source, line }) => `${source}:${line}`)
    const more = size > mostShown ? ` and ${grouped(size - mostShown)} more` : ''
    return `  ${places.join(', ')}${more}: ${by.map(each => likenessWords[each]).join('; ')}`
  })
  const heading = `Near duplicates: ${counted(counts.groups, 'group')}, ${rows(counts.rows)}`
  return {
    ...counts,
    fields: {
      ...counts,
      first: first.slice(0, mostInSummary).map(({ names, ...group }) => group),
      ...(key && { key }),
    },
    lines: [heading, ...lines, ...(key ? [`  ${keyAdvice(facts)}`] : [])],
  }
}

/** Returns the keys of a body; the third number of each is the place of what it is in `likenesses`. */
export function nearKeysOf({ emails, phones, name, url_details: links }: Body): Fingerprint[] {
  const keys: Fingerprint[] = []
  let domain = isObject(links) ? textOf(links.domain) : ''
  for (const item of listOf(emails)) {
    const email = textOf(item?.email)
    if (email !== '') keys.push(textFingerprint(email))
    domain ||= domainOf(email)
  }
  for (const item of listOf(phones)) {
    const phone = textOf(item?.phone_number).replace(/;.*/s, '')
    if (phone !== '') keys.push(textFingerprint(phone, 1))
  }
  const words = wordsFingerprint(textOf(name).replaceAll(/[^a-z\d \ud800-\udfff]/g, foldedSign), 3)
  if (words !== undefined && domain !== '') keys.push(textFingerprint(domain, 2, words))
  if (words !== undefined) keys.push(words)
  return keys
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim().toLowerCase() : '')

const listOf = (value: unknown) => (Array.isArray(value) ? value : [])

/** Domains whose addresses do not show who somebody works for. */
const freeMail =
  /^((gmail|googlemail|outlook|hotmail|live|msn|aol|icloud|me|mac|mail|protonmail|qq|163)\.com|yahoo\..*|gmx\..*|web\.de|t-online\.de|proton\.me|orange\.fr|free\.fr|libero\.it|mail\.ru|yandex\.ru)$/

function domainOf(email: string): string {
  const domain = email.slice(email.indexOf('@') + 1)
  return freeMail.test(domain) ? '' : domain
}

const signs = new Map(
  [..."ßss øo łl đd æae œoe ıi ’ ' .".split(' ')].map(each => [each[0] ?? '', each.slice(1)]),
)

/** Folds a sign to one without accents, or a blank if it is in no word; remembers it. */
function foldedSign(sign: string): string {
  const folded = signs.get(sign)
  if (folded !== undefined) return folded
  const plain = sign
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
  signs.set(sign, /[^\p{L}\p{M}\p{N}]/u.test(plain) ? ' ' : plain)
  return foldedSign(sign)
}
