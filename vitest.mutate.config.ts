import { defineConfig } from 'vitest/config'

// The tests that notice the changes of `npm run mutate`.
export default defineConfig({
  test: {
    include: [
      'test/{unit/{api/classify,api/retry,engine/triage,journal/*},process/process-identity}.test.ts',
    ],
    // The first loads the journal in a way of its own, the other is too slow to be repeated.
    exclude: ['test/unit/journal/disk.test.ts', 'test/unit/journal/memory.test.ts'],
    setupFiles: ['test/support/setup.ts', 'test/support/no-shrinking.ts'],
    globalSetup: 'test/support/global-setup.ts',
    isolate: false,
    testTimeout: 60_000,
  },
})
