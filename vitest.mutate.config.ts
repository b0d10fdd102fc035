import { defineConfig } from 'vitest/config'

// The tests that notice the changes of `npm run mutate`.
export default defineConfig({
  test: {
    include: [
      'test/{unit/{api/classify,api/retry,engine/triage,store/files/*},process/process-identity}.test.ts',
    ],
    exclude: ['test/unit/store/files/disk.test.ts'], // it loads the journal in a way of its own
    setupFiles: ['test/support/setup.ts', 'test/support/no-shrinking.ts'],
    globalSetup: 'test/support/global-setup.ts',
    env: { BYTES: '397' }, // a few of all bytes
    isolate: false,
    testTimeout: 60_000,
  },
})
