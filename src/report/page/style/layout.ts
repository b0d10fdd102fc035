/** The head of the page, its sections, and the foot. */
export const layout = `
.masthead { margin-bottom: 2rem; }
.brand { display: flex; flex-wrap: wrap; gap: .25rem .75rem; max-width: none; margin-bottom: 2rem; color: var(--soft); font-size: .875rem; }
.brand b { color: var(--accent); font-weight: 700; letter-spacing: .01em; }
.zone { margin-left: auto; }
h1 { font-size: 1.0625rem; font-weight: 600; color: var(--soft); }
.verdict { margin: .375rem 0 1.5rem; max-width: none; font-size: clamp(1.5rem, 1.1rem + 1.9vw, 2.25rem); line-height: 1.2; font-weight: 650; letter-spacing: -.015em; text-wrap: balance; }
.shares { display: block; width: 100%; height: .625rem; margin-bottom: 1.75rem; border-radius: 2px; }
.callout { max-width: none; margin: 0 0 1rem; padding: .75rem 1rem; border-left: 3px solid var(--failed); background: var(--warn-wash); }
.next { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; padding: .75rem 1rem; background: var(--accent-wash); border-left: 3px solid var(--accent); }
.next p { max-width: none; margin: 0 0 .375rem; }
.next p:last-child { margin: 0; }
.next strong { color: var(--accent); }
.next .command { background: var(--paper); }
.terms { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); gap: .875rem 2rem; margin: 1.75rem 0 0; }
.terms dt { color: var(--soft); font-size: .8125rem; }
.terms dd { margin: 0; }
.terms bdi { display: inline-block; max-width: 100%; }
.contents { border-block: 1px solid var(--line); margin-bottom: 3rem; }
.contents ul { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 0; padding: .625rem 0; list-style: none; font-size: .9375rem; }
.contents a { text-decoration: none; }
.contents a:hover { text-decoration: underline; }
main > section, .part > section { margin-bottom: 3.5rem; }
section > h2 { font-size: 1.375rem; margin-bottom: 1.25rem; letter-spacing: -.01em; }
section > h3 { font-size: 1.125rem; margin-bottom: 1rem; }
.part { border-top: 3px solid var(--ink); padding-top: 2rem; }
.part .masthead h2 { font-size: 1.5rem; letter-spacing: -.01em; }
.part .verdict { font-size: 1.25rem; letter-spacing: 0; margin-bottom: 1.25rem; }
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .875rem; }
footer p { margin: 0; }
@media screen and (max-width: 40rem) {
  body { padding-top: 1.25rem; }
  .brand { margin-bottom: 1.25rem; }
  .zone { margin-left: 0; flex-basis: 100%; }
  .terms { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .75rem 1rem; }
  .next { grid-template-columns: 1fr; }
  main > section, .part > section { margin-bottom: 2.75rem; }
}
`
