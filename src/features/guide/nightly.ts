import { dirname, join, parse } from 'node:path'
import { stringify } from 'yaml'
import { shellWord } from '../../output/text.ts'
import { windowsWord } from '../../platform/shell-words.ts'
import { flagOf } from '../../settings/options.ts'
import type { Settings } from '../../settings/settings.ts'
import type { FileNames } from './service.ts'

/** The paths of the settings and of the token, which a person puts there. */
export function nightlyNames({ mapping }: FileNames) {
  const base = join(dirname(mapping), parse(mapping).name)
  return { settings: `${base}.settings.yaml`, token: `${base}.token` }
}

/** Settings and schedules of the same import every night at 2:15. `program` are the words that start the command. */
export function nightlyOf(names: FileNames, settings: Settings, program: readonly string[]) {
  const { settings: config } = nightlyNames(names)
  const name = parse(names.mapping).name.replaceAll(/[^\w.-]/g, '-')
  const values = [...settings].map(([option, { value }]) => [flagOf(option), value])
  const sources = settings.has('plan') ? [] : [names.source]
  const words = [...program, 'import', ...sources, '--config', config]
  const line = words.map(shellWord).join(' ')
  const task = words.map(windowsWord).join(' ')
  return {
    settings: `# ${config}\n${stringify(Object.fromEntries(values))}`,
    cron: `15 2 * * * ${line.replaceAll('%', '\\%')}\n`,
    systemd: units(name, words.map(systemdWord).join(' ')),
    taskScheduler: `schtasks /Create /SC DAILY /ST 02:15 /TN ${windowsWord(`rowlift ${name}`)} /TR ${windowsWord(task)}\n`,
  }
}

/** A word of ExecStart: quoted, without the signs by which systemd puts in values. */
const systemdWord = (word: string) =>
  `"${word.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`

const units = (name: string, command: string) => `# ~/.config/systemd/user/rowlift-${name}.service
[Unit]
Description=rowlift: nightly import of ${name}

[Service]
Type=oneshot
ExecStart=${command}
SuccessExitStatus=143
TimeoutStopSec=150
KillMode=mixed

# ~/.config/systemd/user/rowlift-${name}.timer, then: systemctl --user enable --now rowlift-${name}.timer
[Timer]
OnCalendar=*-*-* 02:15
Persistent=true

[Install]
WantedBy=timers.target
`
