const stringOrNumber = /"(?:[^"\\]+|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi

/** Parses JSON and keeps some of its numbers as the text that they are written in. Throws a SyntaxError. */
export function parseKeeping(text: string, isKept: (number: string) => boolean): unknown {
  const json: unknown = JSON.parse(text)
  const quoted = text.replace(stringOrNumber, token =>
    token.startsWith('"') || !isKept(token) ? token : `"${token}"`,
  )
  return quoted === text ? json : JSON.parse(quoted)
}
