import { domainToUnicode } from 'node:url'
import { problem } from '../../model/problem.ts'
import { onText, type Transform } from './text.ts'

const email = /^[^\s@<>()[\]\\,;:"]+@([\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,}$/u

/** In lower case; letters of any script are valid. */
export const emailTransform: Transform = onText(text => {
  const isAddress = email.test(text) && !/^\.|\.\.|\.@/.test(text)
  return isAddress ? text.toLowerCase() : problem('not_email')
})

/** The host must have a dot; https:// is the default. */
function webUrl(text: string): { url: URL; text: string } | undefined {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`
  if (/\s/.test(text) || !URL.canParse(whole)) return undefined
  const url = new URL(whole)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return isWeb && url.username === '' && /[^.]\.[^.\d][^.]*\.?$/.test(url.hostname)
    ? { url, text: whole }
    : undefined
}

/** With https:// where it has no scheme. */
export const urlTransform: Transform = onText(text => webUrl(text)?.text ?? problem('not_url'))

/** The host without a leading www. */
export const domainTransform: Transform = onText(text => {
  const host = webUrl(text)?.url.hostname
  return host === undefined
    ? problem('not_domain')
    : domainToUnicode(host)
        .replace(/^www\.(?=.*\.)/, '')
        .replace(/\.$/, '')
})
