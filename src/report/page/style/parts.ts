/** What sections are made of: figures, doubts, reasons, samples, tables, charts. */
export const parts = `
dl.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 10.5rem), 1fr)); gap: 1.5rem 2rem; margin: 0 0 1.25rem; }
dl.figures dt { font-size: .9375rem; }
dl.figures dd { margin: 0; }
dl.figures b { display: block; font-size: 2rem; line-height: 1.25; font-weight: 600; letter-spacing: -.02em; }
dl.figures dd span { display: block; color: var(--soft); font-size: .8125rem; line-height: 1.4; }

ol.doubts, ol.reasons, .examples, .legend, ul.columns, .messages { margin: 0; padding: 0; list-style: none; }
ol.doubts > li { padding: 1rem 0 1.25rem; border-top: 1px solid var(--line); }
ol.doubts li > :first-child { font-size: 1rem; }
ol.doubts .terms { grid-template-columns: 1fr; gap: .375rem; margin-top: .5rem; }
ol.doubts .terms > div { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: 0 1rem; align-items: baseline; }
ol.doubts .terms dd { min-width: 0; }

ol.reasons > li { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: 0 1.5rem; padding: 1rem 0 1.25rem; border-top: 1px solid var(--line); }
ol.reasons .count { margin: 0; font-size: .875rem; }
ol.reasons .count b { display: block; font-size: 1.5rem; line-height: 1.2; font-weight: 600; letter-spacing: -.01em; }
ol.reasons li > div > :first-child { font-size: 1rem; margin-bottom: .25rem; }
ol.reasons p { margin-bottom: .375rem; }
.answer > span, ol.reasons .place + span { color: var(--soft); font-size: .8125rem; }
.examples { margin-top: .5rem; font-size: .875rem; }
.examples li { padding: .125rem 0 .125rem .875rem; border-left: 2px solid var(--line); }
.column { margin-bottom: 2rem; }
.column > :first-child { margin-bottom: .75rem; }
ul.columns { display: flex; flex-wrap: wrap; gap: .375rem; margin-bottom: 1.5rem; }
ul.columns li { padding: .0625rem .625rem; border: 1px solid var(--line); border-radius: 4px; background: var(--wash); font-size: .875rem; }

.sample { padding: 1rem 0 1.5rem; border-top: 1px solid var(--line); }
.sample > :first-child { font-size: 1rem; margin-bottom: .75rem; }
.sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.5rem; align-items: start; }
.sides pre { margin: 0; padding: .75rem 1rem; background: var(--wash); border-radius: 4px; font-size: .8125rem; line-height: 1.6; overflow-wrap: normal; }
.cells table { width: 100%; }
.cells th[scope=row] { width: 38%; font-weight: 400; color: var(--soft); white-space: normal; }

.time > p { margin-bottom: 2.5rem; }
.chart { margin: 0 0 2.5rem; }
.chart figcaption > :first-child { font-size: 1rem; }
.chart figcaption p { margin: .125rem 0 .5rem; color: var(--soft); font-size: .875rem; }
.legend { display: flex; flex-wrap: wrap; gap: .125rem 1.25rem; margin-bottom: .5rem; font-size: .875rem; }
.plot { position: relative; height: 15rem; overflow: hidden; }
html:not(.scripted) .plot { display: none; }
summary { cursor: pointer; width: fit-content; color: var(--accent); font-size: .875rem; padding: .25rem 0; }
@media screen and (max-width: 48rem) {
  .sides { grid-template-columns: minmax(0, 1fr); gap: .75rem; }
  ol.reasons > li { grid-template-columns: minmax(0, 1fr); gap: .5rem; }
  ol.reasons .count { display: flex; gap: .75rem; align-items: baseline; }
  ol.doubts .terms, ol.doubts .terms > div { grid-template-columns: minmax(0, 1fr); }
  dl.figures { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1.25rem 1rem; }
}
`
