/** The sign of a status: each has a shape of its own, so that nothing hangs on the colour. */
export const marks = `
.mark { display: inline-flex; align-items: baseline; gap: .5em; white-space: nowrap; }
.mark::before {
  content: ""; flex: none; width: .6875em; height: .6875em; background: var(--duplicate);
  print-color-adjust: exact; -webkit-print-color-adjust: exact; forced-color-adjust: none;
}
.mark.created::before, .mark.valid::before { background: var(--created); border-radius: 50%; }
.mark.existing::before { background: transparent; border: .1875em solid var(--existing); border-radius: 50%; }
.mark.in_doubt::before { background: var(--in-doubt); clip-path: polygon(50% 0, 100% 50%, 50% 100%, 0 50%); }
.mark.failed::before { background: var(--failed); }
.mark.invalid::before { background: var(--invalid); clip-path: polygon(50% 4%, 100% 96%, 0 96%); }
.mark.duplicate::before { height: .3em; align-self: center; }
.mark.throttled::before { background: var(--throttled); }
.mark.repeated::before { background: var(--repeated); }
.legend .mark.existing::before { background: var(--existing); }
rect.created, rect.valid { fill: var(--created); }
rect.existing { fill: var(--existing); }
rect.in_doubt { fill: var(--in-doubt); }
rect.failed { fill: var(--failed); }
rect.invalid { fill: var(--invalid); }
`
