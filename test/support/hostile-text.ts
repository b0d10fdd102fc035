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

/** The same facts with each text replaced by a hostile one, except `type` and `status`. */
export function withHostileTexts<T>(facts: T): T {
  let at = 0
  const hostile = (value: unknown, name: string): unknown => {
    if (typeof value === 'string')
      return name === 'type' || name === 'status' ? value : hostileTexts[at++ % hostileTexts.length]
    if (Array.isArray(value)) return value.map(item => hostile(item, name))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hostile(item, key)]))
  }
  return hostile(facts, '') as T
}
