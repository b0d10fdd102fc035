import type { Writable } from 'node:stream'
import { standardInput } from '../input/source.ts'
import { previewLine } from '../journal/outcome.ts'
import { openPreview, streamSink } from '../journal/results.ts'
import type { Body, Valid } from '../model/row.ts'
import type { Deliverer, Making } from './deliverer.ts'

const mostBodiesShown = 3

/** Says what would be sent, and keeps nothing but what --preview asks for; without it the first bodies are shown, unless stdout is asked for. */
export async function dryDeliverer({ settings, mapping, around }: Making): Promise<Deliverer> {
  const { preview, summary } = settings
  const showsBodies = preview === undefined && summary !== standardInput
  const show = showsBodies ? bodiesOn(around.stdout, around.stdoutIsTerminal) : () => {}
  const sink = preview === undefined ? undefined : await previewSink(preview, around.stdout)
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

const previewSink = async (path: string, stdout: Writable) =>
  path === standardInput ? streamSink(stdout, 'standard output') : openPreview(path)

/** Shows the first bodies: spread out on a terminal, one a line for programs. */
function bodiesOn(stdout: Writable, isTerminal: boolean): (body: Body) => void {
  let shown = 0
  return body => {
    if (shown >= mostBodiesShown) return
    shown += 1
    stdout.write(`${JSON.stringify(body, null, isTerminal ? 2 : 0)}\n`)
  }
}
