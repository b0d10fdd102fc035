// What `rowlift init` prints.
import type { Explained } from '../../model/mapping-report.ts'
import { aligned, commandLine, rows, sourceWord, visible } from '../../output/text.ts'
import { shorten } from '../../result/short-texts.ts'

const longestCell = 40

/** What to do with the draft of a mapping; `output` is undefined for standard output. */
export function describeDraft(
  source: string,
  output: string | undefined,
  trial: { readonly rows: number; readonly refused: number },
): string {
  const next = commandLine(['import', sourceWord(source), '-m', output ?? 'MAPPING.yaml', '--dry-run'])
  const refused =
    trial.refused === 0 ? '' : ` Of the first ${rows(trial.rows)}, ${trial.refused} would be invalid.`
  return `This is a draft: its comments ask what only you can know.${refused}\nNext: ${next}\n`
}

/** Each column with what it became, what speaks for its role, and the role that came next. */
export function describeColumns(columns: readonly Explained[]): string {
  if (columns.length === 0) return 'The columns are those of a preset, which says what each becomes.\n'
  const percent = (share: number) => `${Math.round(share * 100)}%`
  const table = columns.map(each => {
    const [best, next] = each.roles
    const weights = best ? [percent(best.header), percent(best.values), best.score.toFixed(2)] : ['', '', '']
    const second = next ? `${next.role} ${next.score.toFixed(2)}` : ''
    const name = shorten(each.column, longestCell)
    return [name, percent(each.filled), became(each), best?.role ?? 'none', ...weights, second]
  })
  const head = ['column', 'filled', 'became', 'role', 'header', 'values', 'score', 'next']
  return `${aligned([head, ...table]).join('\n')}\n`
}

function became({ fields, unmapped, beatenBy }: Explained): string {
  if (fields.length > 0) return fields.join(', ')
  if (unmapped === 'beaten') return `beaten by ${shorten(beatenBy ?? '', longestCell)}`
  return { suggested: 'in a comment', 'of others': "somebody else's", unknown: 'not mapped' }[unmapped]
}

/** What was written for several sources, the plan last, and what to do with it. */
export function describeDrafts(paths: readonly string[]): string {
  const next = commandLine(['import', '--plan', paths.at(-1) ?? '', '--dry-run'])
  return `Wrote ${paths.map(visible).join(', ')}. These are drafts: their comments ask what only you can know.\nNext: ${next}\n`
}
