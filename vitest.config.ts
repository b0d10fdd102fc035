import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: 'test/support/global-setup.ts',
    maxWorkers: 3, // many tests wait for processes and leases, so that two cores have room for a third
    coverage: {
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: 'build/coverage',
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/{unit,bench}/**/*.test.ts'],
          isolate: false, // to load the code anew for each file would take longer than most files do
          setupFiles: ['test/support/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          include: ['test/process/**/*.test.ts'],
          setupFiles: ['test/support/setup.ts'],
        },
      },
    ],
  },
})
