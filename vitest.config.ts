import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    testTimeout: process.env.ROWLIFT_WINDOWS_NODE ? 180_000 : 60_000, // wine is slow
    hookTimeout: 60_000,
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: ['test/support/setup.ts'],
    isolate: false, // to load the code anew for each file would take longer than most files do
    // most code runs too seldom to be worth optimizing, which takes a tenth of the time; later Nodes have no such flag
    execArgv: process.version.startsWith('v20.') ? ['--interrupt-budget=800000'] : [],
    maxWorkers: Math.max(2, availableParallelism()) + 1, // each loads all of the code once; one of them waits at any time
    coverage: {
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: 'build/coverage',
    },
    projects: [
      { extends: true, test: { name: 'quick', include: ['test/{unit,bench,process}/**/*.test.ts'] } }, // one: files of two would share no worker
      { extends: true, test: { name: 'browser', include: ['test/browser/**/*.test.ts'] } },
      {
        extends: true,
        test: { name: 'windows', include: ['test/windows/**/*.test.ts'], testTimeout: 180_000 },
      }, // by wine
      { extends: true, test: { name: 'long', include: ['test/long/**/*.test.ts'] } },
    ],
  },
})
