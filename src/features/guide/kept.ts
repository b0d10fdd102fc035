/** Keeps the last values by their keys, so that a state that is read twice a second costs nothing. */
export function keeping<Value>(most = 40) {
  const kept = new Map<string, Promise<Value>>()
  return (key: string, make: () => Promise<Value>): Promise<Value> => {
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = make()
    kept.set(key, made)
    for (const oldest of [...kept.keys()].slice(0, -most)) kept.delete(oldest)
    return made
  }
}
