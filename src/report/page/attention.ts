import { grouped } from '../numbers.ts'
import { visible } from '../visible.ts'
import type { ShownRow } from './embedded.ts'
import type { AttentionRow, Part } from './facts.ts'
import { embedded, html, type Markup } from './html.ts'
import type { Section, Spot } from './section.ts'
import { capital, rows, statusWords } from './words.ts'

const statuses = ['in_doubt', 'failed', 'invalid'] as const

/** All rows that need attention, in a table that the page's script draws, filters and searches. */
export function attentionSection(part: Part, { prefix }: Spot): Section | undefined {
  const { attention } = part
  if (attention.rows.length === 0) return undefined
  return {
    id: 'attention',
    title: 'All rows that need attention',
    body: html`${attention.total > attention.rows.length && bounded(part)}
<noscript><p>This table is drawn by a script, and scripts are switched off here. ${capital(wherever(part))} has all rows.</p></noscript>
<div class="rows" hidden>
${controls(attention.rows, prefix)}
<table class="wide" role="table" aria-labelledby="${prefix}attention-title">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Status</th><th scope="col" role="columnheader">Row</th><th scope="col" role="columnheader">What is wrong</th><th scope="col" role="columnheader">When</th></tr></thead>
<tbody role="rowgroup"></tbody>
</table>
${rowTemplate}
<div class="pager"><button type="button" data-step="-1">Previous</button> <span></span> <button type="button" data-step="1">Next</button></div>
${embedded(attention.rows.map(shownRow))}
</div>`,
  }
}

const wherever = (part: Part) => (part.is === 'log' ? 'the result log' : 'the preview (--preview FILE)')

const bounded = (part: Part) =>
  html`<p class="bounded">The first ${grouped(part.attention.rows.length)} of ${rows(part.attention.total)} are here; ${wherever(part)} has all of them.</p>`

function controls(shown: readonly AttentionRow[], prefix: string): Markup {
  const counts = statuses
    .map(status => ({ status, count: shown.filter(row => row.status === status).length }))
    .filter(({ count }) => count > 0)
  const choice = (value: string, label: string, count: number, checked: boolean) =>
    html`<label><input type="radio" name="${prefix}status" value="${value}"${checked && html` checked`}> <span>${label} <small>${grouped(count)}</small></span></label>`
  return html`<div class="controls">
<label class="search"><span>Search</span> <input type="search" placeholder="key, source, message or value" autocomplete="off" spellcheck="false"></label>
${counts.length > 1 && html`<fieldset><legend>Status</legend>${choice('', 'all', shown.length, true)}${counts.map(({ status, count }) => choice(status, statusWords[status], count, false))}</fieldset>`}
<output aria-live="polite"></output>
</div>`
}

/** What the script fills in, as text, once for each row. */
const rowTemplate = html`<template><tr role="row">
<td role="cell"><span class="mark"></span></td>
<th scope="row" role="rowheader"><bdi class="place"></bdi> <small>row <span class="row"></span></small><div class="key"><small>key</small> <bdi></bdi></div></th>
<td role="cell"><ul class="messages"></ul><div class="found"><small></small> <code><bdi></bdi></code></div><div class="answer"><small>answer</small> <code><bdi></bdi></code></div></td>
<td role="cell"><time></time></td>
</tr></template>`

const shownRow = ({
  status,
  source,
  row,
  line,
  key,
  column,
  value,
  messages,
  answer,
  at,
}: AttentionRow): ShownRow => ({
  status,
  word: statusWords[status],
  place: visible(`${source}:${line}`),
  row,
  key: visible(key),
  column: column && visible(column),
  value: value === undefined ? undefined : visible(value),
  messages: messages.map(visible),
  answer: answer && visible(answer),
  at,
})
