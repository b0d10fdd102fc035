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
  .plot { height: auto; }
  .plot canvas { max-width: 100%; height: auto !important; }
  .scroll { overflow: visible; max-height: none; }
  .scroll table { font-size: 8pt; }
  .sides pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .shares, .next, .callout, .command, .sides pre, rect { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  a { color: inherit; text-decoration: none; }
}
`
