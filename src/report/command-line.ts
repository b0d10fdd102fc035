/** A command line as a shell reads it back. */
export const commandLine = (args: readonly string[]): string => ['rowlift', ...args].map(shellWord).join(' ')

const shellWord = (word: string) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
