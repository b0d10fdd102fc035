import { domainToUnicode } from 'node:url'
import { problem } from '../../model/problem.ts'
import { onText, type Transform } from './text.ts'

const email = /^[^\s@<>()[\]\\,;:"]+@([\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,}$/u

/** Most addresses, without a look at other scripts. */
const plainEmail = /^[a-z\d_+-]+(?:\.[a-z\d_+-]+)*@(?:[a-z\d]+(?:-+[a-z\d]+)*\.)+[a-z]{2,}$/

/** In lower case; letters of any script are valid. */
export const emailTransform: Transform = onText(text => {
  if (plainEmail.test(text)) return text
  const isAddress = email.test(text) && !/^\.|\.\.|\.@/.test(text)
  return isAddress ? text.toLowerCase() : problem('not_email')
})

/** Most addresses: the host is as a URL has it. */
const plainUrl = /^(https?:\/\/)?((?:[a-z\d-]+\.)+[a-z]{2,})(?:[/?#][!-~]*)?$/

/** The host must have a dot; https:// is the default. */
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

/** With https:// where it has no scheme. */
export const urlTransform: Transform = onText(text => webUrl(text)?.text ?? problem('not_url'))

/** The host without a leading www. */
export const domainTransform: Transform = onText(text => {
  const host = webUrl(text)?.host
  return host?.replace(/^www\.(?=.*\.)/, '').replace(/\.$/, '') ?? problem('not_domain')
})
