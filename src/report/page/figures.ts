import { grouped } from '../numbers.ts'
import type { LogPart, Part } from './facts.ts'
import { type MarkedStatus, rows, statusWords } from './format.ts'
import { type Child, html, marked, type Section } from './html.ts'

type Figure = readonly [name: Child, count: number, note: string]

/** What became of the rows, in figures with a note about each; those that are zero are left out. */
export function figuresSection(part: Part): Section {
  const figures = [
    ...(part.type === 'log' ? logFigures(part) : dryRunFigures(part.lastRun.rows)),
    ...runFigures(part),
  ]
  return {
    id: 'figures',
    title: part.type === 'log' ? 'What became of the rows' : 'What would become of the rows',
    body: html`<dl class="figures">${figures
      .filter(([, count]) => count > 0)
      .map(
        ([
          name,
          count,
          note,
        ]) => html`<div><dt>${name}</dt><dd><b>${grouped(count)}</b> <span>${note}</span></dd></div>
`,
      )}</dl>
${part.type === 'log' && remarks(part)}`,
  }
}

const figure = (status: MarkedStatus, count: number | undefined, note: string): Figure => [
  marked(status, statusWords[status]),
  count ?? 0,
  note,
]

const duplicateNote = 'another row has the same key'

const logFigures = ({ counts, duplicates }: LogPart): Figure[] => [
  figure('created', counts.created, 'the service created their record'),
  figure('existing', counts.existing, 'the service already had a similar contact'),
  figure('in_doubt', counts.in_doubt, 'sent, but no answer says whether the record exists'),
  figure('failed', counts.failed, 'no record was created'),
  figure('invalid', counts.invalid, 'refused before anything was sent'),
  figure('duplicate', duplicates, duplicateNote),
]

const dryRunFigures = (counts: Readonly<Record<string, number>>): Figure[] => [
  figure('valid', counts.valid, 'pass the mapping'),
  figure('invalid', counts.invalid, 'would be refused before anything is sent'),
  figure('duplicate', counts.duplicate, duplicateNote),
]

/** What only a run knows. */
function runFigures({ lastRun }: Part): Figure[] {
  const { done = 0, held = 0, left_out: leftOut = 0 } = lastRun?.rows ?? {}
  return [
    ['left alone', done, 'have their record from an earlier run'],
    ['held in doubt', held, 'left in doubt by an earlier run, and not sent again'],
    ['left out', leftOut, 'by where, in the last run'],
    [
      'changed since',
      lastRun?.changed ?? 0,
      'have their record, but their source has changed; there is no update call',
    ],
  ]
}

const remarks = ({ recovered, byHand }: LogPart): Child[] => [
  recovered > 0 &&
    html`<p>${rows(recovered)} had been refused or in doubt, and ${recovered === 1 ? 'has its' : 'have their'} record now.</p>
`,
  byHand > 0 &&
    html`<p>${rows(byHand)} ${byHand === 1 ? 'was' : 'were'} settled by hand.</p>
`,
]
