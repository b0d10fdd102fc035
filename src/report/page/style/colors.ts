/**
 * Colours by name. Those of the ends of rows differ in lightness as well as in hue, so that they hold for eyes that see
 * less colour, and none stands without a word or a shape.
 */
const light = `
  color-scheme: light;
  --paper: #fdfdfb; --wash: #f5f5f1; --line: #e1e1da; --ink: #1c2024; --soft: #5a626a;
  --accent: #0b6660; --accent-wash: #e6f1ef; --warn-wash: #fcf1e4; --warn: #9a3412;
  --created: #0b655f; --existing: #4d9f96; --invalid: #c68609; --failed: #b83a0b; --in-doubt: #86408c;
  --duplicate: #858d95; --valid: #0b655f; --throttled: #3b4956; --repeated: #8593a0;`

const dark = `
  color-scheme: dark;
  --paper: #15181b; --wash: #1d2125; --line: #31373d; --ink: #e9e9e4; --soft: #a6aeb5;
  --accent: #6cc9bf; --accent-wash: #1a2f2d; --warn-wash: #33241a; --warn: #f3a978;
  --created: #4fb3a8; --existing: #2f7c75; --invalid: #e8bd5a; --failed: #f07f4f; --in-doubt: #cb92d2;
  --duplicate: #8d969e; --valid: #4fb3a8; --throttled: #c4ced6; --repeated: #66727d;`

/** On paper all is light, whatever the screen is. */
export const colors = `
:root {${light}
}
@media screen and (prefers-color-scheme: dark) {
:root:not([data-printing]) {${dark}
}
}
`
