// The registry of commands, in the order of help. Only the head of the requested one is loaded.
import type { Command } from './cli/command.ts'

export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  import: async () => (await import('./cli/commands/import.ts')).importCommand,
  doctor: async () => (await import('./features/doctor/command.ts')).doctorCommand,
  init: async () => (await import('./features/draft/command.ts')).initCommand,
  guide: async () => (await import('./features/guide/command.ts')).guideCommand,
  fields: async () => (await import('./features/fields/command.ts')).fieldsCommand,
  test: async () => (await import('./features/mapping-tests/command.ts')).testCommand,
  report: async () => (await import('./features/report/command.ts')).reportCommand,
  log: async () => (await import('./features/log-tools/command.ts')).logCommand,
  resolve: async () => (await import('./features/reconcile/command.ts')).resolveCommand,
  verify: async () => (await import('./features/reconcile/command.ts')).verifyCommand,
  export: async () => (await import('./features/ledger/commands.ts')).exportCommand,
  workers: async () => (await import('./features/ledger/commands.ts')).workersCommand,
  sandbox: async () => (await import('./features/sandbox/command.ts')).sandboxCommand,
  completion: async () => (await import('./features/completion/command.ts')).completionCommand,
}
