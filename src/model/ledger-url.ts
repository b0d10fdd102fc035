import { keepSecret } from './secrets.ts'

const scheme = /^postgres(?:ql)?:\/\//

/** A sign of a password that is not escaped would end it, and its rest would be taken for something that may be shown. */
export function isLedgerUrl(text: string): boolean {
  if (!scheme.test(text) || !URL.canParse(text)) return false
  const { pathname, search, hash } = new URL(text)
  return hash === '' && !/[@\s]/.test(pathname + search)
}

/** The same URL, whose password is masked from now on. */
export function keptSecret(url: string): string {
  const { password, searchParams } = new URL(url)
  for (const secret of [password, decoded(password), searchParams.get('password') ?? '']) keepSecret(secret)
  return url
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A word of a command line without the password in it, which the environment or ~/.pgpass can have. */
export function withoutPassword(word: string): string {
  const [, flag = '', url = word] = /^(--ledger=)(.*)$/s.exec(word) ?? []
  if (!isLedgerUrl(url)) return word
  const shown = new URL(url)
  shown.password = ''
  shown.searchParams.delete('password')
  return flag + shown.href
}
