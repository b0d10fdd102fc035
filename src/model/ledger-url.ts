import { keepSecret } from './secrets.ts'

/** The URL of a PostgreSQL database, whose password is masked from now on; undefined for anything else. */
export function ledgerUrl(text: string): URL | undefined {
  try {
    const url = new URL(text)
    const { protocol, password, pathname, search, searchParams, hash } = url
    // a sign of a password that is not escaped ends it, and its rest would be taken for something that may be shown
    if (!/^postgres(ql)?:$/.test(protocol) || hash !== '' || /[@\s]/.test(pathname + search)) return undefined
    for (const secret of [decodeURIComponent(password), searchParams.get('password') ?? ''])
      keepSecret(secret)
    return url
  } catch {
    return undefined
  }
}

/** A word of a command line without the password in it, which the environment or ~/.pgpass can have. */
export function withoutPassword(word: string): string {
  const [, flag = '', text = word] = /^(--ledger=)(.*)$/s.exec(word) ?? []
  const url = ledgerUrl(text)
  if (url === undefined) return word
  url.password = ''
  url.searchParams.delete('password')
  return flag + url.href
}
