import { afterAll, beforeAll, describe, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { begin } from '../../support/store-cases/begin.ts'
import { calls } from '../../support/store-cases/call.ts'
import { close } from '../../support/store-cases/close.ts'
import { lookUp } from '../../support/store-cases/look-up.ts'
import { resolve } from '../../support/store-cases/resolve.ts'
import { settle } from '../../support/store-cases/settle.ts'
import { filesStore, type LedgerStores, ledgerStores } from '../../support/stores.ts'

// Every case is a sentence that holds for each store.

const cases = Object.entries({ ...begin, ...lookUp, ...calls, ...settle, ...resolve, ...close })

let db: TestDatabase
let ledger: LedgerStores
beforeAll(async () => {
  db = await testDatabase()
  ledger = await ledgerStores(db)
})
afterAll(async () => {
  await ledger.close()
  await db.close()
})

describe.each([
  ['files', filesStore],
  ['a ledger', () => ledger.open()],
])('in %s', (_, open) => {
  it.each(cases)('%s', (_, prove) => prove(open))
})
