import type { Writable } from 'node:stream'
import { standardInput } from '../input/source.ts'
import { previewLine } from '../journal/outcome.ts'
import { type LineSink, openPreview, streamSink } from '../journal/results.ts'
import type { Body, Valid } from '../model/row.ts'
import type { Delivery, RunContext } from './delivery.ts'
import { isReaderGone } from './standard-output.ts'

const mostBodiesShown = 3

/** Says what would be sent, and keeps nothing but what --preview asks for; without it the first bodies are shown, unless stdout is asked for. */
export async function predictDelivery(making: RunContext): Promise<Delivery> {
  const { mapping, context } = making
  const { preview, summary } = making.settings
  const showsBodies = preview === undefined && summary !== standardInput
  const show = showsBodies ? bodiesOn(context.stdout, context.stdoutIsTerminal) : () => {}
  const sink = preview === undefined ? undefined : await previewSink(preview, making)
  return {
    delivery: {
      predict: ({ body }): Valid => {
        show(body)
        return { status: 'valid', body }
      },
    },
    record: outcome => sink?.append(previewLine(outcome, mapping.record)),
    close: async () => sink?.close(),
  }
}

const previewSink = async (path: string, making: RunContext) =>
  path === standardInput ? stdoutSink(making) : openPreview(path)

/** Lines on standard output; a reader that has seen enough ends the dry run, and nothing is lost by that. */
function stdoutSink({ context: { stdout }, stop }: RunContext): LineSink {
  const sink = streamSink(stdout, 'standard output')
  const isGone = () => stop.reason?.is === 'reader_gone'
  const unlessGone = (error: unknown) => {
    if (!isGone()) throw error
  }
  stdout.on('error', error => {
    if (isReaderGone(error)) stop.request({ is: 'reader_gone' })
  })
  return {
    append: line => (isGone() ? undefined : sink.append(line)?.catch(unlessGone)),
    close: () => sink.close().catch(unlessGone),
  }
}

/** Shows the first bodies: spread out on a terminal, one a line for programs. */
function bodiesOn(stdout: Writable, isTerminal: boolean): (body: Body) => void {
  let shown = 0
  return body => {
    if (shown >= mostBodiesShown) return
    shown += 1
    stdout.write(`${JSON.stringify(body, null, isTerminal ? 2 : 0)}\n`)
  }
}
