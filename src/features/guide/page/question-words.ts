// Questions of a draft in German: the server says them in English, and a page knows each by its id and the ids of its choices.
import type { QuestionView } from '../api.ts'
import catalogue from './texts/questions.json' with { type: 'json' }

interface Kind {
  /** Matches the id of a question, a blank, and the ids of its choices with commas between them. */
  readonly of: string
  readonly text: string
  /** By the ids of choices; `*` is for all others. */
  readonly choices: Readonly<Record<string, string>>
}

const kinds: readonly Kind[] = catalogue.kinds

type Asked = Pick<QuestionView, 'id' | 'text' | 'columns'> & {
  readonly choices: readonly Pick<QuestionView['choices'][number], 'id' | 'label'>[]
}

export interface QuestionWords {
  readonly text: string
  /** The label of a choice; undefined if the page has none. */
  readonly label: (choice: string) => string | undefined
}

/** Returns the German words of a question; undefined for one that the page does not know. */
export function germanQuestion(
  question: Asked,
  values: Readonly<Record<string, string>>,
): QuestionWords | undefined {
  const ids = question.choices.map(({ id }) => id)
  const kind = kinds.find(({ of }) => new RegExp(of).test(`${question.id} ${ids.join()}`))
  if (kind === undefined) return undefined
  const filled = (text: string, own: Readonly<Record<string, string>>) =>
    text.replaceAll(/\{(\w+)\}/g, (whole, name) => own[name] ?? whole)
  const columns = question.columns.map(name => `„${name}“`).join(', ') || 'dieser Datei'
  const all = { ...values, text: question.text, columns }
  const label = (id: string) => {
    const text = kind.choices[id] ?? kind.choices['*']
    return text && filled(text, { ...all, id })
  }
  return { text: filled(kind.text, all), label }
}
