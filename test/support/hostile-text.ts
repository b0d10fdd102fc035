import { Markup } from '../../src/result/facts.ts'

/** Texts that try to inject markup or terminal escapes. Each script in them would set `pwned`. */
export const hostileTexts = [
  '<img src=x onerror="pwned=1">',
  '</script><script>pwned=1</script>',
  '<!--<script>pwned=1//',
  '</title></style></textarea></template><svg onload=pwned=1>',
  `" onmouseover="pwned=1" autofocus onfocus='pwned=1' x="`,
  `' onfocus=pwned=1 tabindex=1 autofocus '`,
  ']]>&lt;b&gt;&#60;i&#62;&amp;&quot;',
  'javascript:pwned=1',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is to stay as it is
  '${pwned=1} {{pwned=1}} \\u003cscript\\u003e',
  'a\u202egnp.exe\u2066\u200f\u061c',
  'nul\u0000 bell\u0007 escape\u001b[31m delete\u007f next\u0085 line\u2028paragraph\u2029',
  'lines\r\nof\ntext\twith tabs',
  'مرحبا שלום עולם',
  '\ud800 alone \udfff',
  `${'long'.repeat(500)}`,
  '',
]

/** The same facts with each text replaced by a hostile one, except `type`, `status` and markup. */
export function withHostileTexts<T>(facts: T): T {
  let at = 0
  const hostile = (value: unknown, name: string): unknown => {
    if (typeof value === 'string')
      return name === 'type' || name === 'status' ? value : hostileTexts[at++ % hostileTexts.length]
    if (Array.isArray(value)) return value.map(item => hostile(item, name))
    if (typeof value !== 'object' || value === null || value instanceof Markup) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hostile(item, key)]))
  }
  return hostile(facts, '') as T
}

const mark = 'Q'
const obeyed = [
  ...[
    '\u001b[31m',
    '\u001b]0;t\u0007',
    '\u0008',
    '\r',
    '\n',
    '\r\n',
    '\t\u000b\u000c',
    '\u007f',
    '\u0085',
    '\u009b2J',
  ],
  ...['\u061c', '\u200b', '\u200d', '\u200e', '\u2028', '\u2029', '\u202e', '\u2066', '\ufeff', '\u{e0041}'],
]

/** A text with all that a terminal might obey or hide; each of it stands behind a mark, by which `obeyedIn` finds it again. */
export const commandingText = `${obeyed.map(text => mark + text).join('')} end`

/** What came through of such texts, with what is before and after it. The id of a run may end in the mark. */
export const obeyedIn = (output: string): string[] =>
  output.match(
    /.{0,60}(?<![0-9A-Z]{25})Q[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2066\ufeff\u{e0041}].{0,20}/gsu,
  ) ?? []

/** A token that is written otherwise in addresses, in JSON and in base64. */
export const oddToken = 'tok/En+5"\\=~secret'

const base64Of = (text: string) => Buffer.from(text).toString('base64')

/** The token as others may write it, also as a part of something longer. */
export const formsOfToken = (token: string): string[] => [
  token,
  encodeURIComponent(token),
  encodeURIComponent(token).toLowerCase(),
  String(new URLSearchParams({ token })),
  encodeURIComponent(encodeURIComponent(token)),
  JSON.stringify(token),
  JSON.stringify(token).replaceAll('/', '\\/'),
  JSON.stringify(JSON.stringify({ token })),
  ...['', 'a', 'ab', 'user:'].flatMap(before => [
    base64Of(before + token),
    base64Of(`${before}${token}:word`),
  ]),
  Buffer.from(`x${token}`).toString('base64url'),
  encodeURIComponent(base64Of(`x${token}`)),
]

/** The places where a text has the token, or most of it, in any form. */
export function tokensIn(text: string, token: string): string[] {
  const plainer = (found: string) =>
    found
      .replaceAll(/%(?:25)?([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replaceAll('\\', '')
  const searched = plainer(text).toLowerCase().replaceAll('-', '+').replaceAll('_', '/')
  const needles = [token, ...['', 'a', 'ab'].map(before => base64Of(before + token).slice(4, -4))]
  return needles.flatMap(needle => {
    const at = searched.indexOf(plainer(needle).toLowerCase().replaceAll('-', '+').replaceAll('_', '/'))
    return at < 0 ? [] : searched.slice(Math.max(0, at - 60), at + 60)
  })
}
