// The tokens and passwords of this process must not leave it, be they in an answer, a cell or an error of a library.

let tokens: readonly string[] = []
let pattern: RegExp | undefined

/** A shorter token is in any text, and nobody can send another sign. */
const maskable = /^[!-~]{8,}$/
/** A program may use one token after the other. */
const mostKept = 10
/** Text after so many signs of a token is taken for its rest. */
const mostCompared = 64

/** Masks this token from now on, and former ones as before. */
export function keepSecret(token: string): void {
  if (!maskable.test(token) || tokens.includes(token)) return
  tokens = [token, ...tokens].slice(0, mostKept)
  const forms = tokens.flatMap(each => [each, ...[0, 1, 2].map(before => base64(each, before))])
  pattern = new RegExp(forms.map(encoded).join('|'), 'gi')
}

/** The text with `[token]` for each token: as it is, in an address, in JSON or in base64. */
export const masked = (text: string): string => (pattern ? text.replaceAll(pattern, '[token]') : text)

/** The signs that are the token's own in base64, after so many other bytes, whatever follows. */
const base64 = (token: string, before: number): string =>
  btoa('-'.repeat(before) + token).slice(Math.ceil((before * 4) / 3), ((before + token.length) * 4) / 3)

/** A sign may be escaped for an address, in JSON and in JSON within it; base64 has two other signs in addresses. */
const encoded = (text: string): string =>
  text.slice(0, mostCompared).replaceAll(/[^a-z\d]/gi, sign => {
    const code = sign.charCodeAt(0).toString(16)
    return `(?:%(?:25)?${code}|\\\\{1,3}u00${code}|\\\\{0,3}[\\${sign}${{ '+': '\\-', '/': '_' }[sign] ?? ''}])`
  }) +
  (text.length > mostCompared ? `[\\w%${text.replaceAll(/[\w"\\]/g, '').replaceAll(/./g, '\\$&')}]*` : '')

/** Reads the URL of a PostgreSQL database, whose password is masked from now on; returns undefined for anything else. */
export function databaseUrl(text: string): URL | undefined {
  try {
    const url = new URL(text)
    const { protocol, password, pathname, search, searchParams, hash } = url
    // a sign of a password that is not escaped ends it, and its rest would be taken for something that may be shown
    if (
      !/^postgres(ql)?:$/.test(protocol) ||
      hash !== '' ||
      /[@\s]/.test(pathname + search) ||
      /\p{Cc}/u.test(text)
    )
      return undefined
    for (const secret of [decodeURIComponent(password), searchParams.get('password') ?? ''])
      keepSecret(secret)
    return url
  } catch {
    return undefined
  }
}

/** Returns a word of a command line without the password in it, which the environment or ~/.pgpass can have. */
export function withoutPassword(word: string): string {
  const [, flag = '', text = word] = /^(--ledger=)(.*)$/s.exec(word) ?? []
  const url = databaseUrl(text)
  if (url === undefined) return word
  url.password = ''
  url.searchParams.delete('password')
  return flag + url.href
}
