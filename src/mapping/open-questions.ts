import { Lexer } from 'yaml'
import type { OpenQuestion } from '../model/mapping-report.ts'

const mark = '# ?'
/** The yaml package's token before a scalar, whose text may hold the mark. */
const scalar = '\u001f'

/** The questions that a draft left in a mapping: comment lines that begin with `# ?`. */
export function openQuestions(file: string, text: string): OpenQuestion[] {
  const questions: { readonly line: number; text: string }[] = []
  const [lines, comments] = [text.split('\n'), new Map<number, string>()]
  let [line, isScalar] = [1, false]
  for (const token of new Lexer().lex(text)) {
    const isOwnLine = lines[line - 1]?.trimStart().startsWith('#')
    if (!isScalar && isOwnLine && token.startsWith('#')) comments.set(line, token.trimEnd())
    isScalar = token === scalar
    line += token.split('\n').length - 1
  }
  for (const [at, comment] of comments) {
    const last = questions.at(-1)
    if (comment.startsWith(mark)) questions.push({ line: at, text: comment.slice(mark.length).trim() })
    else if (last !== undefined && comments.has(at - 1) && !/[.?!:]$/.test(last.text))
      last.text += ` ${comment.slice(1).trim()}`
  }
  return questions.map(({ line: at, text: question }) => ({ place: `${file}:${at}`, text: question }))
}
