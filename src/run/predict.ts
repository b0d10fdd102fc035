import { standardInput } from '../input/source.ts'
import type { Body } from '../model/row.ts'
import { visibleJson } from '../output/text.ts'
import { describeProblem } from '../output/words.ts'
import { previewLine } from '../store/files/lines.ts'
import { type LineSink, openPreview, streamSink } from '../store/files/result-log.ts'
import type { Delivery, RunContext } from './import-steps.ts'
import { isReaderGone, streamsOf } from './ports.ts'
import type { PreparedImport } from './prepared-import.ts'

const mostBodiesShown = 3

/** A dry run writes only the preview. Without one it prints the first bodies, unless stdout is taken. */
export async function predictDelivery({ prepared }: RunContext): Promise<Delivery> {
  const { mapping, settings, ports, approval } = prepared
  const { preview, summary } = settings
  const showsBodies = preview === undefined && summary !== standardInput
  const show = showsBodies && ports.streams ? bodiesOn(ports.streams) : () => {}
  const isShown = preview === standardInput
  const sink = isShown ? stdoutSink(prepared) : preview === undefined ? undefined : await openPreview(preview)
  return {
    delivery: {
      predict(call) {
        show(call.body)
        approval?.noteCall(call)
        const { identity, before, body, omitted, kept } = call // to spread it takes longer
        return { status: 'valid', identity, before, body, omitted, kept }
      },
    },
    record: outcome =>
      sink?.append(visibleJson(previewLine(outcome, mapping.record, describeProblem)))?.then(() => outcome),
    close: async () => sink?.close(),
  }
}

/** A reader that closes the stream ends the dry run. */
function stdoutSink({ ports, stop }: PreparedImport): LineSink {
  const { stdout } = streamsOf(ports)
  const sink = streamSink(stdout, 'standard output')
  const isGone = () => stop.reason?.code === 'reader_gone'
  const unlessGone = (error: unknown) => {
    if (!isGone()) throw error
  }
  stdout.on('error', error => {
    if (isReaderGone(error)) stop.request({ code: 'reader_gone', params: {} })
  })
  return {
    append: line => (isGone() ? undefined : sink.append(line)?.catch(unlessGone)),
    close: () => sink.close().catch(unlessGone),
  }
}

/** Prints the first bodies: indented on a terminal, one per line for programs. */
function bodiesOn({ stdout, isTerminal }: ReturnType<typeof streamsOf>): (body: Body) => void {
  let left = mostBodiesShown
  return body => {
    if (left > 0) stdout.write(visibleJson(`${JSON.stringify(body, null, isTerminal ? 2 : 0)}\n`))
    left -= 1
  }
}
