/** On paper: everything, and nothing to press. */
export const print = `
@media print {
  @page { margin: 15mm; }
  html { font-size: 10pt; }
  body { max-width: none; padding: 0; }
  .skip, .contents, .controls, .pager button, summary, noscript { display: none; }
  .verdict { font-size: 20pt; }
  h2, h3, h4, h5 { break-after: avoid; }
  .chart, ol.reasons > li, ol.doubts > li, .sample, tr, dl.figures > div { break-inside: avoid; }
  .part { break-before: page; }
  .plot { height: 64mm; }
  .plot canvas { max-width: 100%; }
  .scroll { overflow: visible; max-height: none; }
  .scroll table { width: 100%; font-size: 8pt; }
  th, td { padding-right: .625rem; }
  .remarks, .merged th, .merged td { min-width: 0; }
  .scroll tbody th, .scroll time, .runs td:nth-child(2) { white-space: normal; }
  .merged code { overflow-wrap: anywhere; }
  .sides pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .shares, .next, .callout, .command, .sides pre, rect { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  a { color: inherit; text-decoration: none; }
}
`
