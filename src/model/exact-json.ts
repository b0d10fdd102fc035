const stringOrNumber = /"(?:[^"\\]+|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi

/** Parses JSON and keeps some of its numbers as the text that they are written in. Throws a SyntaxError. */
export function parseKeeping(text: string, isKept: (number: string) => boolean): unknown {
  const json: unknown = JSON.parse(text)
  const quoted = text.replace(stringOrNumber, token =>
    token.startsWith('"') || !isKept(token) ? token : `"${token}"`,
  )
  return quoted === text ? json : JSON.parse(quoted)
}

const part = /"(?:[^"\\]+|\\.)*"|[{}[\],]/g

/** The members of a JSON object as they are written, each with its name, in their order. */
export function membersOf(object: string): (readonly [name: string, text: string])[] {
  const members: (readonly [string, string])[] = []
  let depth = 0
  let from = 0
  let name: string | undefined
  for (const { 0: token, index } of object.matchAll(part)) {
    if (depth === 1 && (token === ',' || token === '}')) {
      if (name !== undefined) members.push([name, object.slice(from, index).trim()])
      name = undefined
    }
    if (depth === 1 && token.startsWith('"')) name ??= JSON.parse(token)
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    if (depth === 1 && name === undefined) from = index + 1
  }
  return members
}
