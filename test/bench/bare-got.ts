// The bare loop that an import is held against: no mapping, no journal, no retries. Run as
// `node bare-got.js URL TOKEN BODIES CONCURRENCY`; says on stdout how many milliseconds it took from reading the bodies on.
import { readFileSync } from 'node:fs'
import { got } from 'got'

const [url = '', token = '', bodiesFile = '', concurrency = ''] = process.argv.slice(2)
const startedMs = performance.now()
const client = got.extend({ headers: { authorization: `Bearer ${token}` }, responseType: 'json' })

function* bodies(): Generator<unknown> {
  for (const line of readFileSync(bodiesFile, 'utf8').split('\n')) if (line !== '') yield JSON.parse(line)
}

async function work(shared: Iterable<unknown>): Promise<void> {
  for (const json of shared) {
    const { body } = await client.post<{ record_id: string }>(url, { json })
    if (body.record_id.length !== 36) throw new Error('an answer without a record_id')
  }
}

const shared = bodies()
await Promise.all(Array.from({ length: Number(concurrency) }, () => work(shared)))
process.stdout.write(String(performance.now() - startedMs))
