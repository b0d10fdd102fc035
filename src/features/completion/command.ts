import type { Command } from '../../cli/command.ts'

export const completionCommand: Command = {
  describe: 'Print a script by which bash or zsh completes commands, options, presets and files',
  usage: ['completion'],
  about: 'The script is for the shell that SHELL names.',
  options: {},
  examples: [
    ['rowlift completion >> ~/.bashrc', 'In bash'],
    ['rowlift completion >> ~/.zshrc', 'In zsh, after the line with compinit'],
  ],
  codes: {},
  load: async () => (await import('./completion.ts')).runCompletion,
}
