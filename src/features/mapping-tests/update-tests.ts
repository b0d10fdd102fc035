import { stat } from 'node:fs/promises'
import { ulid } from 'ulid'
import { isMap, isScalar, type Node, type Pair, parseDocument, stringify } from 'yaml'
import { readUserFile } from '../../model/user-file.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { resolveLink } from '../../store/files/result-log.ts'
import type { Received, TestResult } from './run-tests.ts'

type Failed = Pick<TestResult, 'number' | 'received'>

/** Writes into a mapping what its failed tests received; returns how many tests it changed. Throws a UsageError. */
export async function updateTests(path: string, failed: readonly Failed[]): Promise<number> {
  const { text, changed } = withReceived(`${await readUserFile('mapping file', path)}`, failed)
  if (changed > 0) await rewriteFile(path, text)
  return changed
}

/** Replaces the text of a person's file in one step, through links and with its mode. */
export async function rewriteFile(path: string, text: string): Promise<void> {
  const file = await resolveLink(path)
  const { mode } = await stat(file)
  await (await replaceFile(file, [text], { id: ulid(), mode: mode & 0o777 })).close()
}

/** Replaces what tests expect by what they received; all else of the text stays. A test that expects several things stays, too. */
export function withReceived(text: string, failed: readonly Failed[]) {
  const document = parseDocument(text)
  const edits = failed.flatMap(({ number, received }) => {
    const test = document.getIn(['tests', number - 1])
    if (!isMap(test)) return []
    const [pair, ...others] = test.items.filter(({ key }) => isScalar(key) && kinds.has(`${key.value}`))
    return pair === undefined || others.length > 0 ? [] : [editOf(text, pair, received, test.flow === true)]
  })
  const edited = edits.reduceRight(
    (all, { start, end, words }) => all.slice(0, start) + words + all.slice(end),
    text,
  )
  return { text: edited, changed: edits.length }
}

const kinds: ReadonlySet<string> = new Set(['body', 'errors', 'left_out'])

/** The edit of a key and its value, in the style that they have. */
function editOf(text: string, pair: Pair, received: Received, isInFlow: boolean) {
  const { key, value } = pair as Pair<Node & { flow?: boolean }, (Node & { flow?: boolean }) | null>
  const start = key.range?.[0] ?? 0
  const end = (value ?? key).range?.[1] ?? start
  const column = start - (text.lastIndexOf('\n', start - 1) + 1)
  const isBlock = isMap(value) && !value.flow && !isInFlow && 'body' in received
  const words = isBlock ? stringify(received, { lineWidth: 0 }).trimEnd() : inLine(received)
  return {
    start,
    end: start + text.slice(start, end).trimEnd().length,
    words: words.replaceAll(/\n(?=.)/g, `\n${' '.repeat(column)}`),
  }
}

function inLine(received: Received): string {
  const [[name, value] = []] = Object.entries(received)
  const flow = stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()
  return `${name}: ${flow.includes('\n') ? JSON.stringify(value) : flow}`
}
