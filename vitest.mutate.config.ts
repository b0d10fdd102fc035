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
    env: { RUNS: '12', BYTES: '397' }, // of what is tried at random or for each byte, a few
    isolate: false,
    testTimeout: 60_000,
  },
})
