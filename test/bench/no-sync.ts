// Loaded before the command (`node --import`): its syncs take no time, so that a run shows what an import could reach without them.
// Such an import keeps no promise. Only the benchmarks have it.
import fs from 'node:fs'
import { open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const file = await open(process.execPath)
Object.getPrototypeOf(file).datasync = async () => {}
await file.close()
fs.fdatasyncSync = () => {}
syncBuiltinESMExports()
