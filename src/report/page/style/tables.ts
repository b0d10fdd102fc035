/** Tables; those that are too wide scroll in a box of their own, and the one of rows becomes cards. */
export const tables = `
table { border-collapse: collapse; font-size: .875rem; line-height: 1.45; }
th, td { padding: .5rem 1.25rem .5rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
th.number, td.number { text-align: right; }
thead th { color: var(--soft); font-size: .8125rem; font-weight: 500; vertical-align: bottom; border-bottom-color: var(--soft); }
tbody th { font-weight: 500; }
.scroll { max-width: 100%; overflow: auto; overscroll-behavior-x: contain; }
details .scroll { max-height: 24rem; margin-top: .5rem; }

.scroll > table { overflow-wrap: normal; }
.merged table { width: 100%; }
.overview table { min-width: min(100%, 42rem); }
.merged th, .merged td { min-width: 9.5rem; }
.scroll + p { margin-top: .75rem; }
.scroll tbody th, .scroll time { white-space: nowrap; }
.cells tbody th, .overview tbody th, .merged tbody th { white-space: normal; overflow-wrap: anywhere; }
.runs td:nth-child(2) { white-space: nowrap; }
.remarks { min-width: 14rem; overflow-wrap: anywhere; }

.controls { display: flex; flex-wrap: wrap; align-items: end; gap: .75rem 1.5rem; margin-bottom: .75rem; }
.search { flex: 1 1 16rem; }
.search span { display: block; }
.search span, legend { margin-bottom: .25rem; padding: 0; font-size: .8125rem; color: var(--soft); }
input[type=search] { width: 100%; height: 2.5rem; padding: 0 .75rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: 4px; }
input[type=search]:focus-visible { outline-offset: 0; }
::placeholder { color: var(--soft); opacity: 1; }
fieldset { display: flex; flex-wrap: wrap; gap: 0; margin: 0; padding: 0; border: 0; min-width: 0; }
fieldset label { position: relative; }
fieldset input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
fieldset label span { display: flex; align-items: center; gap: .4em; height: 2.5rem; padding: 0 .875rem; border: 1px solid var(--soft); margin-left: -1px; font-size: .9375rem; }
fieldset label:first-of-type span { margin-left: 0; border-radius: 4px 0 0 4px; }
fieldset label:last-of-type span { border-radius: 0 4px 4px 0; }
fieldset :checked + span { background: var(--ink); border-color: var(--ink); color: var(--paper); }
fieldset :checked + span small { color: inherit; }
fieldset :focus-visible + span { outline: 2px solid var(--accent); outline-offset: 2px; z-index: 1; }
output { min-width: 7rem; padding-bottom: .5rem; color: var(--soft); font-size: .875rem; }
.pager { display: flex; align-items: center; gap: 1rem; margin-top: 1rem; font-size: .875rem; color: var(--soft); }
button { height: 2.25rem; padding: 0 1rem; font: inherit; color: var(--accent); background: none; border: 1px solid currentColor; border-radius: 4px; cursor: pointer; }
button:disabled { color: var(--soft); border-color: var(--line); cursor: default; }
.rows { scroll-margin-top: 1rem; }
.wide { width: 100%; table-layout: fixed; }
.wide thead th:nth-child(1) { width: 6.5rem; }
.wide thead th:nth-child(2) { width: 30%; }
.wide thead th:nth-child(4) { width: 8rem; }
.wide td:nth-child(4) { color: var(--soft); font-size: .8125rem; }
.wide .place { font-weight: 500; }
.wide .key, .wide .found, .wide .answer { font-weight: 400; }
.wide code { color: var(--soft); }
@media screen and (max-width: 40rem) {
  .wide, .wide tbody { display: block; }
  .wide thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .wide tr { display: grid; gap: .375rem; padding: .875rem 0; border-top: 1px solid var(--line); }
  .wide tbody th, .wide tbody td { padding: 0; border: 0; }
  fieldset label span { padding: 0 .625rem; }
  th, td { padding-right: .875rem; }
}
`
