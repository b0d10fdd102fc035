import { domainToUnicode } from 'node:url'
import { lazyLibrary } from '../../model/package.ts'
import { fileProblem, problem } from '../../model/problem.ts'
import { escapeHtml, folded, isTooDeep, mostLevels, parseKeeping } from '../../model/values.ts'
import type { NoteFault, Rule, transformNames } from '../rule.ts'
import { onText, type Transform } from '../scope.ts'
import { dateTransform, datetimeTransform, formatFault, isKnownZone, isLocale } from './date.ts'
import { durationTransform, numberTransform } from './number.ts'
import { isKnownCountry, phoneTransform } from './phone.ts'

export const stringTransform: Transform = onText(text => text)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const uuidTransform: Transform = onText(text =>
  uuid.test(text.toLowerCase()) ? text.toLowerCase() : problem('not_uuid'),
)

/** JSON values of NDJSON rows pass unchanged. */
const jsonTransform: Transform = value => {
  if (typeof value !== 'string') return value
  try {
    const json = parseKeeping(value, number => !Number.isFinite(Number(number)))
    return isTooDeep(json) ? problem('too_deep', { levels: mostLevels }) : (json ?? undefined)
  } catch {
    return problem('not_json_value')
  }
}

export const yesWords = ['true', 'yes', 'y', '1', 'on', 'x']
export const noWords = ['false', 'no', 'n', '0', 'off']

/** Reads words without case; booleans of NDJSON rows pass unchanged. */
function booleanTransform(trueWords = yesWords, falseWords = noWords): Transform {
  const known = new Map<string, boolean>()
  for (const word of falseWords) known.set(folded(word), false)
  for (const word of trueWords) known.set(folded(word), true)
  const read = onText(
    text => known.get(folded(text)) ?? problem('not_boolean', { yes: trueWords, no: falseWords }),
  )
  return value => (typeof value === 'boolean' ? value : read(value))
}

/** Escapes special characters; keeps paragraphs and line breaks. */
const htmlTransform: Transform = onText(text =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n(?:[ \t]*\n)+/)
    .map(paragraph => paragraph.split('\n').map(line => escapeHtml(line.trimEnd())))
    .map(lines => `<p>${lines.join('<br>')}</p>`)
    .join(''),
)

const markdownIt = lazyLibrary<typeof import('markdown-it')['default']>('markdown-it')
/** The library looks ahead for the end of each bracket. */
const longestMarkdown = 100_000

/** Raw HTML in it stays text. */
function markdownTransform(): Transform {
  const markdown = new (markdownIt())({ html: false })
  return onText(text =>
    text.length > longestMarkdown
      ? problem('too_long', { characters: longestMarkdown })
      : markdown.render(text).trim(),
  )
}

const email = /^[^\s@<>()[\]\\,;:"]+@([\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,}$/u

/** Most addresses. A look at other scripts takes longer. */
const plainEmail = /^[a-z\d_+-]+(?:\.[a-z\d_+-]+)*@(?:[a-z\d]+(?:-+[a-z\d]+)*\.)+[a-z]{2,}$/

/** Writes addresses in lower case, without the scheme of a link; letters of any script are valid. */
export const emailTransform: Transform = onText(text => {
  if (plainEmail.test(text)) return text
  const address = text.replace(/^mailto:/i, '')
  const isAddress = email.test(address) && !/^\.|\.\.|\.@/.test(address)
  return isAddress ? address.toLowerCase() : problem('not_email')
})

/** Most addresses, whose host is as a URL has it. */
const plainUrl = /^(https?:\/\/)?((?:[a-z\d-]+\.)+[a-z]{2,})(?:[/?#][!-~]*)?$/

function webUrl(text: string): { host: string; text: string } | undefined {
  const [, scheme, plainHost] = plainUrl.exec(text) ?? []
  if (plainHost?.includes('xn--') === false)
    return { host: plainHost, text: scheme === undefined ? `https://${text}` : text }
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`
  if (/\s/.test(text) || !URL.canParse(whole)) return undefined
  const url = new URL(whole)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return isWeb && url.username === '' && /[^.]\.[^.\d][^.]*\.?$/.test(url.hostname)
    ? { host: domainToUnicode(url.hostname), text: whole }
    : undefined
}

/** Writes https:// before an address without a scheme; its host must have a dot. */
export const urlTransform: Transform = onText(text => webUrl(text)?.text ?? problem('not_url'))

/** Reads the host, without a leading www. */
export const domainTransform: Transform = onText(text => {
  const host = webUrl(text)?.host
  return host?.replace(/^www\.(?=.*\.)/, '').replace(/\.$/, '') ?? problem('not_domain')
})

const makers: Readonly<Record<(typeof transformNames)[number], (rule: Rule) => Transform>> = {
  string: () => stringTransform,
  integer: rule => numberTransform(rule.decimal, true),
  number: rule => numberTransform(rule.decimal),
  boolean: rule => booleanTransform(rule.true, rule.false),
  date: dateTransform,
  datetime: datetimeTransform,
  duration: durationTransform,
  email: () => emailTransform,
  phone: ({ country, extension = 'drop' }) =>
    phoneTransform(country && isKnownCountry(country) ? country : undefined, extension),
  url: () => urlTransform,
  domain: () => domainTransform,
  html: () => htmlTransform,
  markdown: markdownTransform,
  uuid: () => uuidTransform,
  json: () => jsonTransform,
}

export const transformOf = (rule: Rule): Transform => makers[rule.as ?? 'string'](rule)

/** Notes settings that are unknown or cannot work. */
export function noteSettingFaults({ zone, country, locale, format }: Rule, note: NoteFault): void {
  if (zone !== undefined && !isKnownZone(zone)) note('zone', fileProblem('bad_zone', { zone }))
  if (country !== undefined && !isKnownCountry(country))
    note('country', fileProblem('bad_country', { country }))
  if (locale !== undefined && !isLocale(locale)) note('locale', fileProblem('bad_locale', { tag: locale }))
  else
    for (const each of [format ?? []].flat()) {
      const reason = formatFault(each, locale ?? 'en')
      if (reason !== undefined) note('format', fileProblem('bad_format', { format: each, reason }))
    }
}
