import { grouped } from '../numbers.ts'
import { marked } from './elements.ts'
import type { LastRun, LogPart, Part } from './facts.ts'
import { type Child, html, type Markup } from './html.ts'
import type { Section } from './section.ts'
import { type MarkedStatus, rows, statusWords } from './words.ts'

interface Figure {
  readonly name: string
  readonly count: number
  readonly note: string
  readonly status?: MarkedStatus
}

/** What became of the rows, in figures with a word about each. */
export function figures(part: Part): Section {
  const shown = part.is === 'log' ? logFigures(part) : dryRunFigures(part.lastRun)
  const more = part.is === 'log' ? sentences(part) : []
  return {
    id: 'figures',
    title: part.is === 'log' ? 'What became of the rows' : 'What would become of the rows',
    body: html`<dl class="figures">${shown.filter(({ count }) => count > 0).map(figureMarkup)}</dl>
${more.map(sentence => html`<p>${sentence}</p>`)}`,
  }
}

const figureMarkup = ({ name, count, note, status }: Figure): Markup =>
  html`<div><dt>${status === undefined ? name : marked(status, name)}</dt><dd><b>${grouped(count)}</b> <span>${note}</span></dd></div>
`

const withStatus = (status: MarkedStatus, count: number, note: string): Figure => ({
  name: statusWords[status],
  count,
  note,
  status,
})

function logFigures({ now, duplicates, lastRun }: LogPart): Figure[] {
  return [
    withStatus('created', now.created, 'the service made their record'),
    withStatus('existing', now.existing, 'the service had a similar contact'),
    withStatus('in_doubt', now.inDoubt, 'sent, and no answer tells whether the record exists'),
    withStatus('failed', now.failed, 'no record was made'),
    withStatus('invalid', now.invalid, 'refused before anything was sent'),
    withStatus('duplicate', duplicates, 'another row has the same key'),
    ...runFigures(lastRun),
  ]
}

/** What only a run knows. */
function runFigures(lastRun: LastRun | undefined): Figure[] {
  const { done = 0, held = 0, left_out: leftOut = 0 } = lastRun?.rows ?? {}
  return [
    { name: 'left alone', count: done, note: 'the last run found their record made already' },
    { name: 'held in doubt', count: held, note: 'left in doubt by an earlier run, and not sent again' },
    { name: 'left out', count: leftOut, note: 'by where, in the last run' },
    {
      name: 'changed since',
      count: lastRun?.changed ?? 0,
      note: 'have their record and read otherwise now; there is no update call',
    },
  ]
}

function dryRunFigures(lastRun: LastRun): Figure[] {
  const { valid = 0, invalid = 0, duplicate = 0, done = 0, held = 0, left_out: leftOut = 0 } = lastRun.rows
  return [
    withStatus('valid', valid, 'pass the mapping'),
    withStatus('invalid', invalid, 'would be refused before anything is sent'),
    withStatus('duplicate', duplicate, 'another row has the same key'),
    { name: 'left alone', count: done, note: 'have their record from an earlier run' },
    { name: 'held in doubt', count: held, note: 'left in doubt by an earlier run' },
    { name: 'left out', count: leftOut, note: 'by where' },
    {
      name: 'changed since',
      count: lastRun.changed,
      note: 'have their record and read otherwise now; there is no update call',
    },
  ]
}

function sentences({ mended, byHand }: LogPart): Child[] {
  return [
    ...(mended > 0
      ? [
          `${rows(mended)} had been refused or in doubt, and ${mended === 1 ? 'has its' : 'have their'} record now.`,
        ]
      : []),
    ...(byHand > 0 ? [`${rows(byHand)} ${byHand === 1 ? 'was' : 'were'} settled by hand.`] : []),
  ]
}
