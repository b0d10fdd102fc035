/**
 * Colours by name. Those of the ends of rows differ in lightness as well as in hue, so that they hold for eyes that see
 * less colour, and none stands without a word or a shape.
 */
const light = `
  color-scheme: light;
  --paper: #fdfdfb; --wash: #f5f5f1; --line: #e1e1da; --ink: #1c2024; --soft: #5a626a;
  --accent: #0b6660; --accent-wash: #e6f1ef; --warn-wash: #fcf1e4; --warn: #9a3412;
  --created: #0f766e; --existing: #86c5bd; --invalid: #e0a11b; --failed: #c2410c; --in-doubt: #86408c;
  --duplicate: #8a929a; --valid: #0f766e; --throttled: #41505e; --repeated: #a5b1bb;`

const dark = `
  color-scheme: dark;
  --paper: #15181b; --wash: #1d2125; --line: #31373d; --ink: #e9e9e4; --soft: #a6aeb5;
  --accent: #6cc9bf; --accent-wash: #1a2f2d; --warn-wash: #33241a; --warn: #f3a978;
  --created: #4fb3a8; --existing: #2c746d; --invalid: #e8bd5a; --failed: #f07f4f; --in-doubt: #cb92d2;
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
