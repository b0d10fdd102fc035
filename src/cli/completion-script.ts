import { exitCodes } from '../app/exit-code.ts'
import type { Ports } from '../app/ports.ts'
import { UsageError } from '../model/errors.ts'

/** The line by which the script hears that files may stand there, too. */
export const filesMark = ':files'

/** The shells that can be helped. */
const shells = ['bash', 'zsh'] as const
type Shell = (typeof shells)[number]

/** `rowlift completion`: prints the script for a shell, by default the one in $SHELL; gives the exit code. Throws a UsageError. */
export function completionCommand(
  named: readonly string[],
  { stdout, environment }: Pick<Ports, 'stdout' | 'environment'>,
): number {
  const [name = environment.SHELL?.split('/').at(-1) ?? 'bash'] = named
  const shell = shells.find(each => each === name)
  if (shell === undefined || named.length > 1) throw new UsageError('unknown_shell', { name, known: shells })
  stdout.write(completionScript(shell))
  return exitCodes.finished
}

/**
 * What a shell has to read so that it completes words of `rowlift`; it asks `rowlift` itself. Files are completed by the
 * shell, in its own way, where the answer is empty or says so.
 */
const completionScript = (shell: Shell): string => (shell === 'zsh' ? zsh : bash)

const bash = `# rowlift completion bash; put it into ~/.bashrc by: eval "$(rowlift completion bash)"
_rowlift() {
  local IFS=$'\\n' cur=\${COMP_WORDS[COMP_CWORD]} answer files
  answer=$(SHELL=bash rowlift --get-yargs-completions "\${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
  case $cur in :|=) cur= ;; esac
  if [[ \${COMP_WORDS[COMP_CWORD]} == : || ( $COMP_CWORD -gt 0 && \${COMP_WORDS[COMP_CWORD-1]} == : ) ]]; then
    answer=\${answer//preset:/} # what stands before the colon is another word to bash
  fi
  COMPREPLY=($(compgen -W "\${answer//${filesMark}/}" -- "$cur"))
  if [[ $answer == *${filesMark}* && $answer != ${filesMark} ]]; then
    files=($(compgen -f -- "$cur"))
    if ((\${#files[@]} > 0)); then
      COMPREPLY+=("\${files[@]}")
      compopt -o filenames 2>/dev/null
    fi
  fi
}
complete -o bashdefault -o default -F _rowlift rowlift
`

const zsh = `#compdef rowlift
# rowlift completion zsh; put it into ~/.zshrc, behind compinit, by: eval "$(rowlift completion zsh)"
_rowlift() {
  local -a answer
  answer=("\${(@f)$(SHELL=zsh rowlift --get-yargs-completions "\${(@)words[1,CURRENT]}" 2>/dev/null)}")
  if ((\${answer[(Ie)${filesMark}]})) || [[ -z "\${answer[*]}" ]]; then
    _files
  fi
  answer=("\${(@)answer:#${filesMark}}")
  answer=("\${(@)answer:#}")
  ((\${#answer})) && _describe 'rowlift' answer
}
if [[ "\${zsh_eval_context[-1]}" == loadautofunc ]]; then
  _rowlift "$@"
else
  compdef _rowlift rowlift
fi
`
