// Runs before each test file. Files of a worker share all modules, this one alone is loaded anew for each.
import fc from 'fast-check'
import { afterAll, afterEach } from 'vitest'
import '../../src/features.ts'
import { RowliftError } from '../../src/model/errors.ts'
import { describeError } from '../../src/output/words.ts'
import { cleanUp } from './cleanup.ts'
import { repeats } from './random.ts'

// Errors have codes, and sentences only where a face shows them; tests of what lies below compare the sentences of the command.
Object.defineProperty(RowliftError.prototype, 'message', {
  configurable: true,
  get(this: Error) {
    return describeError(this)
  },
  set(this: Error, message: string) {
    Object.defineProperty(this, 'message', { value: message, writable: true })
  },
})

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: repeats(200) }) // where a property does not say itself

afterEach(cleanUp)
afterAll(cleanUp) // of what was begun before the tests, should that have failed
