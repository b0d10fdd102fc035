/** Letters, links and what stands in running text. */
export const text = `
*, *::before, *::after { box-sizing: border-box; }
html {
  background: var(--paper); color: var(--ink);
  font: 1rem/1.55 -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, system-ui, sans-serif;
  font-variant-numeric: tabular-nums;
  -webkit-text-size-adjust: 100%; text-size-adjust: 100%;
}
body { max-width: 66rem; margin: 0 auto; padding: 2.5rem clamp(1rem, 4vw, 2.5rem) 3rem; overflow-wrap: anywhere; }
h1, h2, h3, h4, h5, h6 { margin: 0; line-height: 1.25; font-weight: 600; text-wrap: balance; }
p { margin: 0 0 .75rem; max-width: 44rem; text-wrap: pretty; }
small { font-size: .8125rem; color: var(--soft); font-weight: 400; }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 2px; }
code, pre { font: .875em/1.5 ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace; }
bdi { white-space: pre-wrap; }
.command {
  display: inline-block; max-width: 100%; padding: .2rem .55rem; border-radius: 4px;
  background: var(--wash); border: 1px solid var(--line); white-space: pre-wrap; user-select: all;
}
.command span { display: inline-block; max-width: 100%; }
.none { color: var(--soft); }
.number { text-align: right; }
.tag {
  display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem;
  color: var(--accent); font-size: .8125rem; white-space: nowrap;
}
.skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--paper); }
.skip:focus { left: 1rem; top: .5rem; }
`
