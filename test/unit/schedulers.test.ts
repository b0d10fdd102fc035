import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { parseWords } from '../../src/cli/args.ts'
import { compileMapping } from '../../src/mapping/mapping.ts'
import { flagOf, importOptions } from '../../src/settings/options.ts'
import { textOf } from '../support/pages.ts'

const usualTimeoutS = 120

/** The flags behind `import`, by their names. */
const flagsOf = async (words: readonly string[]) => (await parseWords(words, importOptions)).flags

describe('the units of systemd', () => {
  const [service, timer] = ['service', 'timer'].map(kind => textOf(`config/systemd/rowlift@.${kind}`))

  it('run an import with options that exist', async () => {
    const [, line = ''] = /rowlift (import [\s\S]*?)'$/m.exec(service ?? '') ?? []
    const [command, ...words] = [...line.replaceAll('\\\n', ' ').matchAll(/"[^"]*"|\S+/g)].map(
      ([word]) => word,
    )
    expect(command).toBe('import')
    expect(Object.keys(await flagsOf(words)).map(flagOf)).toEqual(
      expect.arrayContaining(['results', 'quiet', 'token-file']),
    )
  })

  it('leave calls in flight the time that they have, and start every night', () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(service ?? '')?.[1])).toBeGreaterThan(usualTimeoutS)
    expect(timer).toMatch(/^OnCalendar=/m)
  })
})

describe('the unit of a worker', () => {
  const unit = textOf('config/systemd/rowlift-worker@.service')
  const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]

  it('runs an import with options that exist, and holds no secret', async () => {
    const [, line = ''] = /^ExecStart=\S+rowlift (import .*(?:\\\n.*)*)$/m.exec(unit) ?? []
    const [command, ...words] = line.replaceAll('\\\n', ' ').split(/ +/)
    expect(command).toBe('import')
    expect(Object.keys(await flagsOf(words))).toEqual(expect.arrayContaining(['tokenFile', 'quiet']))
    expect(unit).toMatch(/^EnvironmentFile=/m)
  })

  it('begins again after what may pass by itself, and leaves calls in flight the time that they have', () => {
    expect([settingOf('Restart'), settingOf('RestartPreventExitStatus')]).toEqual(['on-failure', '1 2 70'])
    expect(Number(settingOf('TimeoutStopSec'))).toBeGreaterThan(usualTimeoutS)
  })

  it('keeps answers that wait for the database in a folder of its own', () => {
    expect(settingOf('WorkingDirectory')).toBe(`/var/lib/${settingOf('StateDirectory')}`)
    expect(settingOf('StateDirectory')).toContain('%i')
  })
})

const documentsOf = (path: string) =>
  parseAllDocuments(textOf(path)).map(document => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })

describe('the job of several machines on Kubernetes', () => {
  const [config, { spec }] = documentsOf('config/kubernetes/job.yaml')
  const settings = parse(config.data['settings.yaml'])
  const { template, podFailurePolicy, parallelism, completions, backoffLimit } = spec
  const [container] = template.spec.containers
  const volumeOf = (name: string) =>
    template.spec.volumes.find((volume: { name: string }) => volume.name === name)

  it('runs an import with options and settings that exist', async () => {
    const [command, ...words] = container.args
    expect([command, (await flagsOf(words)).config]).toEqual(['import', '/etc/rowlift/settings.yaml'])
    const names = Object.keys(importOptions).map(flagOf)
    expect(names).toEqual(expect.arrayContaining(Object.keys(settings)))
    expect(settings).not.toHaveProperty('new-run') // each pod would begin one
  })

  it('has a mapping that works, with a key', () => {
    expect(compileMapping('contacts.yaml', config.data['contacts.yaml'], '').keyColumns).toEqual(['Email'])
  })

  it('takes the ledger and the token from a secret, and the sources from a volume that nobody writes', () => {
    expect(container.env[0]).toMatchObject({
      name: 'ROWLIFT_LEDGER',
      valueFrom: { secretKeyRef: { key: 'ledger' } },
    })
    expect(volumeOf('token')).toHaveProperty('secret')
    expect(volumeOf('exports')).toHaveProperty('persistentVolumeClaim.readOnly', true)
    for (const { name } of container.volumeMounts) expect(volumeOf(name)).toBeDefined()
  })

  it('starts workers until one has seen the end, and again after what may pass by itself', () => {
    expect(parallelism).toBeGreaterThan(1)
    expect(completions).toBeUndefined()
    expect([template.spec.restartPolicy, backoffLimit > 0]).toEqual(['Never', true])
    expect(podFailurePolicy.rules[0].onExitCodes.values).toEqual([1, 2, 70])
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(settings.timeout)
  })
})

describe('the job of Kubernetes', () => {
  const [claim, config, job] = documentsOf('config/kubernetes/cronjob.yaml')
  const settings = parse(config.data['settings.yaml'])
  const { template, podFailurePolicy, backoffLimit } = job.spec.jobTemplate.spec
  const [container] = template.spec.containers
  const mounts: { name: string; mountPath: string }[] = container.volumeMounts
  const besideSettings = (path: string) => posix.resolve('/etc/rowlift', path)
  const volumeAt = (path: string) =>
    template.spec.volumes.find(
      ({ name }: { name: string }) =>
        name === mounts.find(({ mountPath }) => path.startsWith(`${mountPath}/`))?.name,
    )

  it('runs an import with options and settings that exist', async () => {
    const [command, ...words] = container.args
    expect(command).toBe('import')
    expect(await flagsOf(words)).toEqual({ config: '/etc/rowlift/settings.yaml', quiet: true })
    expect(Object.keys(importOptions).map(flagOf)).toEqual(expect.arrayContaining(Object.keys(settings)))
  })

  it('has a mapping that works', () => {
    expect(besideSettings(settings.mapping)).toBe('/etc/rowlift/contacts.yaml')
    expect(() => compileMapping('contacts.yaml', config.data['contacts.yaml'], '')).not.toThrow()
  })

  it('takes settings, mapping and token from volumes, the token from a secret, and keeps results', () => {
    for (const { name } of mounts)
      expect(template.spec.volumes.map((volume: { name: string }) => volume.name)).toContain(name)
    expect(volumeAt(settings['token-file'])).toHaveProperty('secret')
    expect(volumeAt(besideSettings(settings.mapping))).toHaveProperty('configMap.name', config.metadata.name)
    expect(volumeAt(besideSettings(settings.results))).toHaveProperty(
      'persistentVolumeClaim.claimName',
      claim.metadata.name,
    )
  })

  it('lets one run at a time go on, and leaves calls in flight the time that they have', () => {
    expect(job.spec.concurrencyPolicy).toBe('Forbid')
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(settings.timeout)
  })

  it('tries again what may pass by itself, and nothing else', () => {
    expect(template.spec.restartPolicy).toBe('Never') // podFailurePolicy asks for it
    expect(backoffLimit).toBeGreaterThan(0)
    const [{ action, onExitCodes }] = podFailurePolicy.rules
    expect({ action, ...onExitCodes }).toEqual({
      action: 'FailJob',
      containerName: container.name,
      operator: 'In',
      values: [1, 2, 70],
    })
  })
})

describe('the image', () => {
  const dockerfile = textOf('Dockerfile')
  const allowed = textOf('.dockerignore')
    .split('\n')
    .flatMap(line => (line.startsWith('!') ? line.slice(1) : []))

  it('copies only what .dockerignore lets through', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' ').filter(name => name !== '.'),
    )
    expect(copied.length).toBeGreaterThan(4)
    expect(allowed).toEqual(expect.arrayContaining(copied))
  })

  it('runs the command, not as root, in the folder of the data', () => {
    const { bin } = JSON.parse(textOf('package.json'))
    expect(dockerfile).toContain(`ln -s /app/${bin.rowlift} /usr/local/bin/rowlift`)
    expect(dockerfile).toMatch(/^USER node\nWORKDIR \/data$/m)
    expect(dockerfile).toMatch(/^ENTRYPOINT \["rowlift"\]$/m)
  })
})
