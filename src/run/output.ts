import type { Writable } from 'node:stream'
import type { ProcessInfo } from '../platform/process-info.ts'
import type { CommandEnd } from '../result/run-result.ts'
import type { OutcomeSink, PreparedImport } from './prepared-import.ts'

/** A file that a command writes, whatever its result. A new one is a maker in a feature, and a line in `makers` of outputs.ts. */
export interface Output {
  readonly path: string
  readonly role: string
  /** Throws a UsageError if it cannot be written; by default any file is replaced. */
  readonly check?: () => Promise<void>
  /** Takes the outcomes of an import that begins. */
  readonly sinksOf?: (job: OutputImport) => readonly OutcomeSink[]
  /** The sentence if it could not be written; by default one for any file. */
  readonly unwritten?: (error: unknown, end: CommandEnd) => string
  /** Writes it at the end; once more if the exit code changes by another output. */
  write(end: CommandEnd): Promise<void>
}

/** Makers of the files that features write; `features.ts` fills it in. They are loaded if an option names such a file. */
export const featureOutputs = {} as Readonly<
  Record<'metrics' | 'approval' | 'worksheets', (path: string, ports: OutputPorts) => Promise<Output>>
>

/** The mode of a file that others read: Prometheus' collector, and those who review an approval. */
export const readableMode = 0o644

export interface OutputImport {
  /** The step of a plan; undefined for a single import. */
  readonly name: string | undefined
  readonly prepared: PreparedImport
}

export interface OutputPorts {
  readonly context: ProcessInfo & { readonly stdout: Writable; readonly stdoutIsTerminal: boolean }
  /** The title of the page, if the import does not give one. */
  readonly title: string | undefined
  readonly onWritten: (message: string) => void
  readonly onFailed: (message: string, file: Readonly<Record<'path' | 'role', string>>) => void
}
