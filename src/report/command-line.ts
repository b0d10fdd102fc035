import { unseen } from './visible.ts'

/** A command line as a shell reads it back. */
export const commandLine = (args: readonly string[]): string => ['rowlift', ...args].map(shellWord).join(' ')

/** Something to do next, and the command for it, without the word `rowlift`. */
export interface NextStep {
  readonly advice: string
  readonly args: readonly string[]
}

/** The next steps, of which any will do, as one sentence. */
export const nextSentence = (steps: readonly NextStep[]): string | undefined =>
  steps.map(({ advice, args }) => `${advice}: ${commandLine(args)}`).join('; or ') || undefined

/** A source as it is no flag, whatever it begins with. */
export const sourceWord = (path: string): string => (/^-./.test(path) ? `./${path}` : path)

function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return word.search(unseen) < 0 ? `'${word.replaceAll("'", `'\\''`)}'` : `$'${spelledOut(word)}'`
}

/** What cannot be seen, or would be obeyed by a terminal, as shells spell it. */
const spelledOut = (word: string) =>
  word.replaceAll(/[\\']/g, '\\$&').replaceAll(unseen, signs => [...signs].map(escaped).join(''))

function escaped(sign: string): string {
  const code = sign.charCodeAt(0)
  return code < 0x80 ? `\\${code.toString(8).padStart(3, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
