/** Browsers load this file with the texts of the page, and have no modules of Node. */
const { process } = globalThis as { readonly process?: { readonly platform?: string } }

/** Whether commands are printed for cmd and PowerShell. */
export const isWindowsShell = process?.platform === 'win32'

/**
 * A word as cmd and PowerShell both hand it to a program. Quotes are doubled, and so is a backslash before the last one. Of `%` (cmd),
 * and `$` and the backtick (PowerShell), both shells cannot be served by one text.
 */
export const windowsWord = (word: string): string =>
  /^[\w+=:./\\-]+$/.test(word) ? word : `"${word.replaceAll('"', '""').replace(/\\+$/, '$&$&')}"`
