// Runs before each test file. Files of the project `unit` share all modules, this one alone is loaded anew for each.
import { afterAll, afterEach } from 'vitest'
import '../../src/features.ts'
import { RowliftError } from '../../src/model/errors.ts'
import { describeError } from '../../src/output/words.ts'
import { cleanUp } from './cleanup.ts'

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

afterEach(cleanUp)
afterAll(cleanUp) // of what was begun before the tests, should that have failed
