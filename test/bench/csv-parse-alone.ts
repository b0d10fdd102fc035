// Reading a CSV file with csv-parse and nothing else. Run as `node csv-parse-alone.js FILE`; says on stdout how many rows
// it had.
import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'

const [file = ''] = process.argv.slice(2)
let rows = 0
for await (const _ of createReadStream(file).pipe(parse({ columns: true }))) rows += 1
process.stdout.write(String(rows))
