import { readFile, stat } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join, posix } from 'node:path'
import { publint } from 'publint'
import { beforeAll, describe, expect, it } from 'vitest'
import { itLong } from '../support/long.ts'
import { type Packed, packed, programWith, runIn } from '../support/package.ts'
import { root } from '../support/pages.ts'
import { madeBy, startService } from '../support/service.ts'

let pack: Packed
beforeAll(async () => {
  pack = await packed()
})

describe('package', () => {
  it('the package holds what is needed to run it and to read about it, and nothing else', () => {
    const folders = pack.files.map(file => file.split('/').slice(0, 2).join('/'))
    expect(new Set(folders.filter(folder => !folder.startsWith('config/')))).toEqual(
      new Set([
        ...['CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD-PARTY-NOTICES', 'package.json'],
        ...['docs/decisions', 'docs/durability.md', 'docs/how-to-make-a-row-twice.md'],
        ...['docs/service-interface.md', 'docs/usage'],
        ...['bin', 'features', 'lib', 'index.d.ts', 'library', 'model', 'output', 'platform'].map(
          name => `dist/${name}`,
        ),
        ...['records', 'result', 'settings', 'store'].map(name => `dist/${name}`),
      ]),
    )
    expect(
      pack.files.filter(file => !/\.(js|cjs|css|d\.ts|json|md|png|yaml|service|timer)$/.test(file)),
    ).toEqual(['LICENSE', 'THIRD-PARTY-NOTICES'])
    expect(pack.files.filter(file => /\.test\.|^samples|\.map$|node_modules/.test(file))).toEqual([])
    for (const schema of ['mapping', 'plan', 'summary'])
      expect(pack.files).toContain(`config/${schema}.schema.json`)
  })

  it('the package has the licences of all that its bundle holds of others, and the image has them too', async () => {
    const folder = await programWith(pack, {})
    const notices = await readFile(join(folder, 'node_modules/rowlift/THIRD-PARTY-NOTICES'), 'utf8')
    const [head, ...parts] = notices.split(`\n\n${'='.repeat(80)}\n\n`)
    expect(head).toMatch(/under their own licences\.$/)
    for (const part of parts) {
      expect(part).toMatch(/^[@\w./-]+ \d+\.\d+\.\d+\S* \((MIT|ISC|Apache-2\.0|BSD-[23]-Clause)\)\n\n/)
      expect(part).toMatch(/Copyright/i)
      expect(part).toMatch(
        /Permission is hereby granted|Permission to use|Apache License|Redistribution and use/,
      )
    }
    const names = parts.map(part => part.split(' ')[0])
    expect(names).toEqual([...names].sort())
    for (const part of ['fastify', 'got', 'pg', 'pg-protocol', 'rolldown', 'sonic-boom', 'yargs', 'zod'])
      expect(names).toContain(part)
    for (const part of ['vitest', 'typescript', 'playwright-core']) expect(names).not.toContain(part)
    expect(await readFile(join(root, 'Dockerfile'), 'utf8')).toMatch(
      /^COPY --from=build .*THIRD-PARTY-NOTICES/m,
    )
  })

  it('the package loads only what is in it, what Node has, and its dependencies, which Node 20.19 may have', async () => {
    const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const loaded = new Set<string>()
    for (const file of pack.files.filter(file => /^dist\/(lib\/.*\.js|.*\.d\.ts)$/.test(file))) {
      const text = await readFile(join(root, file), 'utf8')
      for (const [, name = ''] of text.matchAll(/^(?:import|export) [^'"\n]*from ['"]([^.'"][^'"]*)['"]/gm))
        if (!isBuiltin(name)) loaded.add(name)
    }
    expect([...loaded]).toEqual(Object.keys(dependencies))
    const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
    for (const name of loaded) {
      const { engines, dependencies: more } = packages[`node_modules/${name}`]
      expect([engines, more], name).toEqual([undefined, undefined])
    }
  })

  itLong('the package is the same bytes if it is packed again', async () => {
    expect((await packed()).tarball.equals(pack.tarball)).toBe(true)
  })

  it('the package has pages whose links lead to what it holds', async () => {
    for (const page of pack.files.filter(file => /^(README|docs\/.*)\.md$/.test(file))) {
      const text = await readFile(join(root, page), 'utf8')
      const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) =>
        posix.join(posix.dirname(page), link),
      )
      const dead = links.filter(
        link =>
          !pack.files.some(file => file === link || file.startsWith(link.endsWith('/') ? link : `${link}/`)),
      )
      expect(dead.filter(link => !/^(samples|(CONTRIBUTING|SECURITY)\.md)/.test(link))).toEqual([])
    }
  })

  it('the package passes publint, its suggestions too', async () => {
    const { buffer, byteOffset, byteLength } = pack.tarball
    const tarball = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
    expect((await publint({ pack: { tarball }, strict: true })).messages).toEqual([])
  })

  it('the package is imported by a program, which may read its schema and its version', async () => {
    const service = await startService()
    const folder = await programWith(pack, {
      'program.js': `
        import { createRequire } from 'node:module'
        import * as library from 'rowlift'
        const { importRows } = library
        console.log(Object.keys(library).join())
        const require = createRequire(import.meta.url)
        console.log(require('rowlift/config/mapping.schema.json').type, require('rowlift/package.json').name)
        const summary = await importRows({
          rows: [{ Name: 'Ada' }],
          mapping: { record: 'task', body: { name: '{{Name}}' } },
          results: 'results.ndjson',
          baseUrl: process.env.SERVICE,
          organizationId: 7,
          token: 'a-secret-token',
        }).summary()
        console.log(summary.rows.created)`,
    })
    expect((await runIn(folder, 'program.js', { SERVICE: service.url })).stdout).toBe(
      'LockError,LogError,SourceError,UsageError,importRows\nobject rowlift\n1\n',
    )
    expect(madeBy(service)).toEqual(['Ada'])
  })

  it('the package runs as a command from if it is installed', async () => {
    const { bin, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const folder = await programWith(pack, {})
    const { stdout } = await runIn(folder, join(folder, 'node_modules/rowlift', bin.rowlift), {}, [
      '--version',
    ])
    expect(stdout).toBe(`${version}\n`)
    const tested = await runIn(folder, join(folder, 'node_modules/rowlift', bin.rowlift), {}, [
      ...['test', 'preset:trello'],
    ])
    expect(tested.stdout).toContain('passed, 1 file')
  })

  it('the package has a command that may be run, however often it is built', async () => {
    const { bin } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    expect((await stat(join(root, bin.rowlift))).mode & 0o111).toBe(0o111)
  })

  it('the package runs no script where it is installed, and names no place that a publisher would fill in', async () => {
    const { scripts, repository, homepage } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    for (const name of ['prepare', 'preinstall', 'install', 'postinstall'])
      expect(scripts).not.toHaveProperty(name)
    expect([repository, homepage]).toEqual([undefined, undefined])
  })
})
