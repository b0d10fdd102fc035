import { grouped } from '../numbers.ts'
import type { AttentionRow, Part } from './facts.ts'
import { capital, rows, statusWords } from './format.ts'
import { embedded, html, type Markup, type Place, type Section } from './html.ts'

/** All rows that need attention, in a table that the page's script draws, filters and searches. */
export function attentionSection({ type, attention }: Part, { prefix }: Place): Section | undefined {
  if (attention.rows.length === 0) return undefined
  const fullList = type === 'log' ? 'the result log' : 'the preview (--preview FILE)'
  return {
    id: 'attention',
    title: 'All rows that need attention',
    body: html`${attention.total > attention.rows.length && html`<p class="bounded">The first ${grouped(attention.rows.length)} of ${rows(attention.total)} are here; ${fullList} has all of them.</p>`}
<noscript><p>A script draws this table, and scripts are switched off here. ${capital(fullList)} has all rows.</p></noscript>
<div class="rows" hidden>
${controls(attention.rows, prefix)}
<table class="wide" role="table" aria-labelledby="${prefix}attention-title">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Status</th><th scope="col" role="columnheader">Row</th><th scope="col" role="columnheader">What is wrong</th><th scope="col" role="columnheader">When</th></tr></thead>
<tbody role="rowgroup"></tbody>
</table>
${rowTemplate}
<div class="pager"><button type="button" data-step="-1">Previous</button> <span></span> <button type="button" data-step="1">Next</button></div>
${embedded(attention.rows)}
</div>`,
  }
}

function controls(shown: readonly AttentionRow[], prefix: string): Markup {
  const choices = (['in_doubt', 'failed', 'invalid'] as const)
    .map(status => ({ status, count: shown.filter(row => row.status === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => choice(prefix, status, statusWords[status], count))
  return html`<div class="controls">
<label class="search"><span>Search</span> <input type="search" placeholder="key, source, message or value" autocomplete="off" spellcheck="false"></label>
${choices.length > 1 && html`<fieldset><legend>Status</legend>${choice(prefix, '', 'all', shown.length)}${choices}</fieldset>`}
<output aria-live="polite"></output>
</div>`
}

const choice = (prefix: string, value: string, label: string, count: number): Markup =>
  html`<label><input type="radio" name="${prefix}status" value="${value}"${value === '' && html` checked`}> <span>${label} <small>${grouped(count)}</small></span></label>`

/** The script fills this in as text, once for each row. */
const rowTemplate = html`<template><tr role="row">
<td role="cell"><span class="mark"></span></td>
<th scope="row" role="rowheader"><bdi class="place"></bdi> <small>row <span class="row"></span></small><div class="key"><small>key</small> <bdi></bdi></div></th>
<td role="cell"><ul class="messages"></ul><div class="found"><small></small> <code><bdi></bdi></code></div><div class="answer"><small>answer</small> <code><bdi></bdi></code></div></td>
<td role="cell"><time></time></td>
</tr></template>`
