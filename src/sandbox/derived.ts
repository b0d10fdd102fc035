import { createHash } from 'node:crypto'

/**
 * Ids of things that the sandbox makes up (users, projects, options) follow from a text, so that a record that is
 * rendered again, even after a restart, is the same to the letter.
 */
export function derivedUuid(from: string): string {
  const bytes = digest(from)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex', 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** A whole number from 1 to 2^31 - 1 that follows from a text. */
export function derivedInteger(from: string): number {
  return digest(from).readUInt32BE(0) >>> 1 || 1
}

function digest(from: string): Buffer {
  return createHash('sha256').update(from).digest()
}
