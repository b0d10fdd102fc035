import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml'
import type { z } from 'zod'
import { nearest } from '../model/did-you-mean.ts'
import { type FileFault, UsageError } from '../model/errors.ts'
import { type FileProblem, fileProblem } from '../model/problem.ts'
import { largestDocument } from '../model/user-file.ts'

/** Steps from the root of a document. */
export type DocumentPath = readonly (string | number)[]

/** The keys that are known at a path, for suggestions. */
type KnownKeys = (path: DocumentPath) => readonly string[]

const typeWords: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  string: 'text',
}

/** Words for a schema that has none of its own. */
export const plainWords = {
  reportInput: true, // what is missing has none
  error(issue: z.core.$ZodRawIssue): string | undefined {
    if (issue.code === 'invalid_type')
      return issue.input === undefined
        ? 'is missing'
        : `must be ${typeWords[issue.expected] ?? 'keys and values'}`
    if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
    if (issue.code === 'too_big') return `must be at most ${issue.maximum}`
    if (issue.code !== 'too_small') return undefined
    return issue.origin === 'number' || issue.origin === 'int'
      ? `must be ${issue.inclusive ? 'at least' : 'above'} ${issue.minimum}`
      : 'must not be empty'
  },
}

const mostFaults = 100
const mostAliases = 1000
const mostNested = 100
const notYaml = (cause: string, reason: string) => fileProblem('not_yaml', { reason, cause })
const mostOfAll = `has more than ${mostAliases} aliases, or, with them written out, more than ${largestDocument} characters or ${mostNested} levels`
const tooLarge = notYaml('too_large', mostOfAll)

/** Shared parts count each time, and one that holds itself has no end. */
function isTooLarge(content: unknown): boolean {
  let left = largestDocument
  const exceeds = (value: unknown, levels: number): boolean => {
    left -= typeof value === 'string' ? value.length + 1 : 1
    if (typeof value !== 'object' || value === null) return left < 0
    if (!Array.isArray(value)) left -= Object.keys(value).join('').length
    return left < 0 || levels === 0 || Object.values(value).some(each => exceeds(each, levels - 1))
  }
  return exceeds(content, mostNested)
}

/** A YAML or JSON file that knows the line and column of each part, and gathers faults. */
export class LocatedYaml {
  readonly file: string
  readonly content: unknown
  readonly #document: Document
  readonly #lines = new LineCounter()
  readonly #faults: FileFault[] = []

  /** Throws a UsageError if the text is not YAML. With `numbersUnder`, only these keys hold numbers: 1.0 stays 1.0. */
  constructor(file: string, text: string, numbersUnder?: readonly string[]) {
    this.file = file
    const options = { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: false } // it compares all keys with all
    this.#document = parseDocument(text, options)
    for (const { pos, message, code } of [...this.#document.errors, ...this.#document.warnings]) // of unknown tags
      this.#faultAt(pos[0], /call stack/.test(message) ? tooLarge : notYaml(code, message))
    this.#checkNodes()
    this.throwIfFaulty()
    if (numbersUnder !== undefined) keepNumbersAsWritten(this.#document, numbersUnder)
    this.content = this.#plain()
  }

  #plain(): unknown {
    try {
      const content: unknown = this.#document.toJS({ maxAliasCount: -1 })
      if (!isTooLarge(content)) return content
      this.#faultAt(0, tooLarge)
    } catch (error) {
      this.#faultAt(0, notYaml('', (error as Error).message))
    }
    return this.throwIfFaulty()
  }

  /** Notes aliases without an anchor, and keys that come twice. */
  #checkNodes(): void {
    const anchors = new Set<string | undefined>()
    let aliases = 0
    visit(this.#document, {
      Node: (_, node) => {
        const fault = (problem: FileProblem) => this.#faultAt(node.range?.[0] ?? 0, problem)
        if (!isAlias(node)) anchors.add(node.anchor)
        else if (!anchors.has(node.source)) fault(fileProblem('unknown_alias', { alias: node.source }))
        else if (++aliases === mostAliases + 1) fault(tooLarge)
        if (isScalar(node) && typeof node.value === 'number' && !Number.isFinite(node.value))
          fault(notYaml('no_number', `${node.source} is no number that JSON has`))
        if (isMap(node))
          for (const key of repeatedIn(node.items.map(({ key }) => key)))
            this.#faultAt(offsetOf(key), keyFault(key))
      },
    })
  }

  /** `at: 'key'` points to the key instead of its value. */
  fault(path: DocumentPath, problem: FileProblem, at: 'key' | 'value' = 'value'): void {
    this.#faultAt(this.#offsetOf(path, at), problem)
  }

  /** The line of the deepest existing part of a path, from 1. */
  lineOf(path: DocumentPath): number {
    return this.#lines.linePos(this.#offsetOf(path, 'value')).line
  }

  faultsOf({ issues }: Pick<z.ZodError, 'issues'>, under: DocumentPath, knownKeys: KnownKeys): void {
    for (const issue of issues) {
      const path = [...under, ...issue.path.map(step => (typeof step === 'symbol' ? String(step) : step))]
      const [inside, ...others] = issue.code === 'invalid_union' ? issue.errors.filter(areInside) : []
      const unknown = issue.code === 'unrecognized_keys' ? issue.keys : undefined
      if (inside !== undefined && others.length === 0)
        this.faultsOf({ issues: inside as z.core.$ZodIssue[] }, path, () => knownKeys(path))
      else if (unknown === undefined) {
        const { message: reason, input, ...issued } = issue
        const facts = { ...issued, name: nameOf(path), at: path.join('.'), isMissing: input === undefined }
        this.fault(path, fileProblem('bad_value', { ...facts, reason }))
      }
      for (const key of unknown ?? []) {
        const suggestion = nearest(key, knownKeys(issue.path.map(String)))
        this.fault([...path, key], fileProblem('unknown_key', { key, suggestion }), 'key')
      }
    }
  }

  throwIfFaulty(): void {
    if (this.#faults.length > 0) throw UsageError.of(this.#faults)
  }

  #faultAt(offset: number, problem: FileProblem): void {
    const { line, col } = this.#lines.linePos(offset)
    this.#faults.push({ file: this.file, line: Math.max(1, line), column: Math.max(1, col), problem })
    if (this.#faults.length === mostFaults) this.throwIfFaulty()
  }

  /** The offset of the deepest existing part of a path. */
  #offsetOf(path: DocumentPath, at: 'key' | 'value'): number {
    let node: unknown = this.#document.contents
    let offset = offsetOf(node)
    for (const [depth, step] of path.entries()) {
      const pair = isMap(node) ? node.items.find(({ key }) => keyText(key) === String(step)) : undefined
      const isKey = at === 'key' && depth === path.length - 1
      const inMap = isKey ? pair?.key : (pair?.value ?? pair?.key)
      node = isSeq(node) ? node.items[Number(step)] : inMap
      if (!isNode(node)) return offset
      offset = offsetOf(node)
    }
    return offset
  }
}

/** The value has the shape of this member of a union, and its faults are further in. */
const areInside = (issues: readonly z.core.$ZodIssue[]) =>
  issues.every(({ code, path }) => code === 'unrecognized_keys' || path.length > 0)

function keepNumbersAsWritten(document: Document, numbersUnder: readonly string[]): void {
  visit(document, {
    Pair: (_, { key }, above) =>
      above.length === 2 && numbersUnder.includes(keyText(key) ?? '') ? visit.SKIP : undefined,
    Scalar: (at, scalar) => {
      if (at !== 'key' && typeof scalar.value === 'number') scalar.value = scalar.source
    },
  })
}

const offsetOf = (node: unknown) => (isNode(node) ? (node.range?.[0] ?? 0) : 0)
const keyText = (key: unknown) => (isNode(key) && 'value' in key ? String(key.value) : undefined)

/** A key that is special in JavaScript. */
/** No mapping can have it as a key. */
export const reservedKey = '__proto__'
const keyFault = (key: unknown) =>
  keyText(key) === reservedKey
    ? notYaml('reserved_key', `a key cannot be ${reservedKey}`)
    : notYaml('DUPLICATE_KEY', 'Map keys must be unique')

function repeatedIn(keys: readonly unknown[]): unknown[] {
  const known = new Set<unknown>([reservedKey])
  return keys.filter(key => known.size === known.add(keyText(key) ?? key).size)
}

function nameOf(path: DocumentPath): string {
  const last = path.at(-1)
  if (last === undefined) return ''
  return typeof last === 'number' ? `item ${last + 1} of ${path.at(-2)}: ` : `${last}: `
}
