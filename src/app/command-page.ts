import type { CommandEnd } from '../report/command-end.ts'
import type { Part } from '../report/page/facts.ts'
import { type GatherOf, gatherPart, type PartGathering } from './gather-part.ts'
import type { OutcomeSink } from './outcome-sink.ts'
import { writePage } from './page-file.ts'
import type { Ports } from './ports.ts'

/** The page of a command: of one import, or of all steps of a plan that began. */
export interface CommandPage {
  /** Who takes the outcomes of an import meanwhile; it has the name that it has in the end of the command. */
  keepersOf(gather: GatherOf): readonly OutcomeSink[]
  /** Writes the page, and says whether there is one: not where no import began. Throws a UsageError or LogError. */
  write(path: string, end: CommandEnd, title: string | undefined): Promise<boolean>
}

export function commandPage(context: Ports): CommandPage {
  const gatherings = new Map<string | undefined, PartGathering>()
  return {
    keepersOf(gather) {
      const gathering = gatherPart(gather, context)
      gatherings.set(gather.name, gathering)
      return gathering.keepers
    },
    async write(path, { imports, endedAt, version, next }, title) {
      const begun = imports.flatMap(({ name, end }) => {
        const gathering = gatherings.get(name)
        return gathering !== undefined && end !== undefined ? [{ gathering, end }] : []
      })
      const parts: Part[] = []
      for (const each of begun) {
        const { gathering, end } = each
        parts.push(await gathering.partOf(end, each === begun.at(-1) ? next : undefined)) // it is said once, at the last
      }
      const [first] = parts
      if (first === undefined) return false
      await writePage(path, { title: title ?? first.name, madeAt: endedAt.toISOString(), version, parts })
      return true
    },
  }
}
