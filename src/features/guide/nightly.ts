import { dirname, join, parse } from 'node:path'
import { stringify } from 'yaml'
import { shellWord } from '../../output/text.ts'
import { windowsWord } from '../../platform/shell-words.ts'
import type { AfterView, ServiceState } from './api.ts'
import type { FileNames } from './file-names.ts'

/** Settings and schedules of the same import every night at 2:15. The token comes from a file that a person makes. */
export function nightlyOf(names: FileNames, service: ServiceState): AfterView['nightly'] {
  const { baseUrl, organizationId } = service
  if (baseUrl === null || organizationId === null) return null
  const name = parse(names.mapping).name
  const folder = dirname(names.mapping)
  const config = join(folder, `${name}.settings.yaml`)
  const settings = stringify({
    mapping: names.mapping,
    results: names.log,
    'base-url': baseUrl,
    'organization-id': organizationId,
    'token-file': join(folder, `${name}.token`),
    rejects: names.rejects,
    report: names.report,
    changes: names.changes,
    quiet: true,
  })
  const words = ['rowlift', 'import', names.source, '--config', config]
  const line = words.map(shellWord).join(' ')
  return {
    settings: `# ${config}\n${settings}`,
    cron: `15 2 * * * ${line.replaceAll('%', '\\%')}\n`,
    systemd: units(name, words.map(systemdWord).join(' ')),
    taskScheduler: `schtasks /Create /SC DAILY /ST 02:15 /TN ${windowsWord(`rowlift ${name}`)} /TR ${windowsWord(words.map(windowsWord).join(' '))}\n`,
  }
}

/** A word of ExecStart: quoted, with the signs that systemd reads. */
const systemdWord = (word: string) =>
  `"${word.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`

const units = (name: string, command: string) => `# /etc/systemd/system/rowlift-${name}.service
[Unit]
Description=rowlift: nightly import of ${name.replaceAll('%', '%%')}
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
ExecStart=/usr/bin/env ${command}
SuccessExitStatus=143
TimeoutStopSec=150
KillMode=mixed

# /etc/systemd/system/rowlift-${name}.timer
[Timer]
OnCalendar=*-*-* 02:15
Persistent=true

[Install]
WantedBy=timers.target
`
