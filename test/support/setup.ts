// Runs before each test file. Files of the project `unit` share all modules, this one alone is loaded anew for each.
import { afterAll, afterEach } from 'vitest'
import { cleanUp } from './cleanup.ts'

afterEach(cleanUp)
afterAll(cleanUp) // of what was begun before the tests, should that have failed
