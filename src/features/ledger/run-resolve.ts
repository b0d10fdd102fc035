import { ulid } from 'ulid'
import { type CliContext, tell } from '../../cli/context.ts'
import { sleep } from '../../model/clock.ts'
import { withoutPassword } from '../../model/secrets.ts'
import { counted, timeOf } from '../../output/text.ts'
import { describeProblem } from '../../output/words.ts'
import type { StorePlace } from '../../run/prepare.ts'
import type { ByHand } from '../reconcile/doubts.ts'
import { describeSettled, listDoubtful } from '../reconcile/doubts-list.ts'
import { withImport } from './access.ts'
import { doubtFacts, doubtsIn, settleDoubts } from './resolve.ts'

type Given = StorePlace & { readonly key: string | undefined }

/** No lock is needed; rows without a record are settled once no worker can hold their calls any more. */
export const resolveInLedger = (
  given: Given,
  settlement: ByHand | undefined,
  context: CliContext,
): Promise<void> =>
  withImport(given, context, async found => {
    const { ledger = '', key } = given
    const { clock, stderr } = context
    const { name: store } = found
    const { count: inDoubt, upTo, heldMs, underWay } = await doubtFacts(found, key)
    if (settlement !== undefined) {
      if (settlement.recordId === undefined && heldMs > 0) {
        tell(stderr, waitingForWorkers(new Date(clock.now().getTime() + heldMs)))
        await sleep(clock, heldMs)
      }
      const by = { run: ulid(), now: clock.now, describe: describeProblem }
      const settled = await settleDoubts(found, upTo, settlement, by)
      return tell(stderr, describeSettled(store, settled, (await doubtFacts(found)).count))
    }
    const doubts = async function* () {
      for await (const page of doubtsIn(found, upTo, key)) for (const { doubt } of page) yield doubt
    }
    const args = ['--ledger', withoutPassword(ledger), '--import', store]
    await listDoubtful(doubts(), { store, args, inDoubt, underWay: 0, key }, context)
    tell(stderr, describeUnderWay(underWay))
  })

const waitingForWorkers = (until: Date): string =>
  `Waiting until ${timeOf(until.toISOString())} UTC: so long a worker that was stopped may hold a call.\n`

/** Says how many calls have no outcome in the ledger. */
export const describeUnderWay = (calls: number): string =>
  calls === 0
    ? ''
    : `${counted(calls, 'call')} under way; where the worker is gone, the next one puts the row in doubt.\n`
