import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importWithRejects } from '../../support/rejects-file.ts'
import { outcomesIn, rowlift, summaryOf } from '../../support/rowlift.ts'

const mapping =
  'record: contact\nkey: Email\nbody:\n  name: { from: Name, required: true }\n  emails: [{ email: { from: Email, as: email, required: true } }]\n'

/** What was exported, and what 0.1 wrote of it: its first run, then that of the fixed rejects file, then one without an answer. */
const exported = `Name,Email
Ada,ada@example.com
,bo@example.com
forbidden,cyr@old.example
Dora,nope
Ernest,n/a
Francis,n/a
Georgina,doubt
`
const logOf01 = (baseUrl: string) => `\
{"run":"R1","at":"2026-11-22T10:31:47.390Z","rowlift":"0.1.0","base_url":"${baseUrl}","organization_id":7,"record":"contact","mapping":"map.yaml","mapping_sha256":"ad1d69f2","key_columns":["Email"],"use_created":null,"delivery":"at-most-once","sources":["a.csv"]}
{"run":"R1","at":"2026-11-22T10:31:47.719Z","source":"a.csv","row":2,"line":3,"key":"bo@example.com","hash":"62ec5c100892b819","status":"invalid","errors":[{"path":"name","column":"Name","message":"is required and empty"}]}
{"run":"R1","at":"2026-11-22T10:31:47.720Z","source":"a.csv","row":4,"line":5,"key":"nope","hash":"f134f32c8ae76ebc","status":"invalid","errors":[{"path":"emails.0.email","column":"Email","value":"nope","message":"is not an e-mail address"}]}
{"run":"R1","at":"2026-11-22T10:31:47.731Z","source":"a.csv","row":5,"line":6,"key":"n/a","hash":"9c237b9c06a02730","status":"invalid","errors":[{"path":"emails.0.email","column":"Email","value":"n/a","message":"is not an e-mail address"}]}
{"run":"R1","at":"2026-11-22T10:31:47.732Z","source":"a.csv","row":6,"line":7,"key":"n/a","hash":"89cbad0dc4a540eb","status":"invalid","errors":[{"path":"emails.0.email","column":"Email","value":"n/a","message":"is not an e-mail address"}]}
{"run":"R1","at":"2026-11-22T10:31:47.768Z","source":"a.csv","row":7,"line":8,"key":"doubt","hash":"23b5068e6595df89","status":"invalid","errors":[{"path":"emails.0.email","column":"Email","value":"doubt","message":"is not an e-mail address"}]}
{"run":"R1","at":"2026-11-22T10:31:48.200Z","source":"a.csv","row":1,"line":2,"key":"ada@example.com","hash":"8be42f0e8a632053","status":"created","record_type":"contact","record_id":"00000000-0000-4000-8000-000000000001","http_status":200,"attempts":1,"duration_ms":544}
{"run":"R1","at":"2026-11-22T10:31:48.264Z","source":"a.csv","row":3,"line":4,"key":"cyr@old.example","hash":"4d371524eb3922b9","status":"failed","record_type":"contact","http_status":422,"attempts":1,"duration_ms":544,"errors":[{"message":"the service answered 422","body":"no such word"}]}
{"run":"R2","at":"2026-11-22T10:31:52.092Z","rowlift":"0.1.0","base_url":"${baseUrl}","organization_id":7,"record":"contact","mapping":"map.yaml","mapping_sha256":"ad1d69f2","key_columns":["Email"],"use_created":null,"delivery":"at-most-once","sources":["fixed.csv"]}
{"run":"R2","at":"2026-11-22T10:31:52.503Z","source":"fixed.csv","row":5,"line":6,"key":"doubt","hash":"23b5068e6595df89","repaired":true,"status":"invalid","errors":[{"path":"emails.0.email","column":"Email","value":"doubt","message":"is not an e-mail address"}]}
{"run":"R2","at":"2026-11-22T10:31:53.103Z","source":"fixed.csv","row":1,"line":2,"key":"bo@example.com","hash":"8c764196b04d2f77","repaired":true,"status":"created","record_type":"contact","record_id":"00000000-0000-4000-8000-000000000002","http_status":200,"attempts":1,"duration_ms":632}
{"run":"R2","at":"2026-11-22T10:31:53.223Z","source":"fixed.csv","row":2,"line":3,"key":"nope","hash":"99136e8ad9a3c84a","repaired":true,"alias":"dora@example.com","status":"created","record_type":"contact","record_id":"00000000-0000-4000-8000-000000000004","http_status":200,"attempts":1,"duration_ms":751}
{"run":"R2","at":"2026-11-22T10:31:53.253Z","source":"fixed.csv","row":3,"line":4,"key":"n/a","hash":"56a1e711127a32bf","repaired":true,"alias":"ernest@example.com","status":"created","record_type":"contact","record_id":"00000000-0000-4000-8000-000000000005","http_status":200,"attempts":1,"duration_ms":752}
{"run":"R2","at":"2026-11-22T10:31:53.254Z","source":"fixed.csv","row":4,"line":5,"key":"sha256:89cbad0dc4a540eb#1","hash":"a4b8c8dbb8b1842b","repaired":true,"alias":"francis@example.com","status":"created","record_type":"contact","record_id":"00000000-0000-4000-8000-000000000006","http_status":200,"attempts":1,"duration_ms":752}
{"run":"R2","at":"2026-11-22T10:31:53.333Z","source":"fixed.csv","row":6,"line":7,"key":"cyr@old.example","hash":"04661eac3600e48f","repaired":true,"alias":"cyr@example.com","status":"created","record_type":"contact","record_id":"00000000-0000-4000-8000-000000000003","http_status":200,"attempts":1,"duration_ms":710}
{"run":"R3","at":"2026-11-22T10:31:57.293Z","rowlift":"0.1.0","base_url":"${baseUrl}","organization_id":7,"record":"contact","mapping":"map.yaml","mapping_sha256":"ad1d69f2","key_columns":["Email"],"use_created":null,"delivery":"at-most-once","sources":["fixed.csv"]}
{"run":"R3","at":"2026-11-22T10:31:57.468Z","source":"fixed.csv","row":1,"line":2,"key":"doubt","hash":"4ba7c568a7a414f7","repaired":true,"alias":"georgina@example.com","status":"in_doubt","record_type":"contact","attempts":1,"duration_ms":38,"errors":[{"message":"the call was sent and no answer came (ECONNRESET)"}],"body":{"name":"Georgina","emails":[{"email":"georgina@example.com"}]}}
`

/** An import that goes on with that log, into a service that takes every row. */
async function goingOn(source: string) {
  const job = await importWithRejects({ 'map.yaml': mapping, 'a.csv': source }, ['a.csv'], 'bad.csv', {
    react: () => 'create',
  })
  await writeFile(job.log, logOf01(job.service.url))
  return job
}

describe('a log of 0.1 goes on', () => {
  it('and no row that was fixed and created is created again from the unfixed export', async () => {
    const { service, bad, exported: run } = await goingOn(exported)
    // two rows were refused under n/a, so it is unknown which of them came back with that key: it is refused again
    expect(summaryOf(await run())).toMatchObject({ created: 0, done: 5, invalid: 1, held: 1 })
    expect(await readFile(bad, 'utf8')).toMatch(/\nErnest,n\/a,sha256:9c237b9c06a02730#1,.*\n$/)
    expect(service.calls).toEqual([])
  })

  it('and knows the rows by the keys that they have now', async () => {
    const fixed = exported
      .replace(/\b(\w+),(nope|n\/a|doubt)/g, (_, name) => `${name},${name.toLowerCase()}@example.com`)
      .replace('forbidden,cyr@old.example', 'Cyr,cyr@example.com')
      .replace(',bo@', 'Bo,bo@')
    const { service, exported: run } = await goingOn(fixed)
    expect(summaryOf(await run())).toMatchObject({ created: 0, done: 6, changed: 0, held: 1 })
    expect(service.calls).toEqual([])
  })

  it('and a row in doubt is resolved by either of its keys', async () => {
    for (const key of ['doubt', 'georgina@example.com']) {
      const { cwd, log, exported: run } = await goingOn(exported)
      const end = ['--record-id', '9d2f8a54-6f0e-4c1b-9a77-3f2f1c0b5e11']
      const resolved = await rowlift(['resolve', 'results.ndjson', '--key', key, ...end], { cwd })
      expect(resolved.exitCode).toBe(0)
      expect((await outcomesIn(log)).filter(line => line.by_hand)).toMatchObject([
        {
          ...{ key: 'doubt', alias: 'georgina@example.com', repaired: true },
          ...{ status: 'created', by_hand: true },
        },
      ])
      expect(summaryOf(await run())).toMatchObject({ created: 0, done: 6, invalid: 1, held: 0 })
    }
  })

  it('and so does its rejects file, of which each row is created once', async () => {
    const { service, cwd, args, log, exported: run } = await goingOn(exported)
    await writeFile(log, (await readFile(log, 'utf8')).split('{"run":"R2"')[0] ?? '')
    await writeFile(
      join(cwd, 'old.csv'),
      '\uFEFFName,Email,rowlift_key,rowlift_reason\nDora,dora@example.com,nope,why\nCyr,cyr@example.com,cyr@old.example,why\n',
    )
    const old = () => rowlift(args(['old.csv']), { cwd })
    expect(summaryOf(await old())).toMatchObject({ created: 2 })
    const replacing = (await outcomesIn(log)).filter(({ replaces }) => replaces !== undefined)
    expect(replacing).toMatchObject([
      { key: 'dora@example.com', replaces: 'key:nope' },
      { key: 'cyr@example.com', replaces: 'key:cyr@old.example' },
    ])
    expect(summaryOf(await old())).toMatchObject({ created: 0, done: 2 })
    expect(summaryOf(await run())).toMatchObject({ created: 0, done: 3, invalid: 4 })
    expect(service.calls).toHaveLength(2)
  })
})
