// A layer of faults between a run and its disk. It counts the calls of node:fs that touch one folder, and makes one of them go
// wrong. A child process loads it with `node --require`, and a run in this process is armed with it; src/ knows nothing of it.
const fs = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const { basename, resolve, sep } = require('node:path')

// What a fault counts, and what it does at the call with its number: `instead` of the call, or `after` it. With `halves` half of the
// bytes are written. One that `stays` meets every later call too; one that `ends` the process does so after a call that failed, too.
// A kill counts the calls that change something, for one that reads leaves nothing behind.
const faults = {
  kill: { counts: changes, instead: die },
  killed: { counts: changes, after: die, ends: true },
  torn: { counts: writes, halves: true, after: die, ends: true },
  power: { counts: changes, after: cutPower, ends: true },
  EIO: { counts: () => true, instead: fail('EIO') },
  EINTR: { counts: mayBeInterrupted, instead: fail('EINTR') },
  ENOSPC: { counts: allocates, instead: fail('ENOSPC'), stays: true },
  short: { counts: writes, halves: true, after: fail('ENOSPC') },
  late: { counts: endsLate, after: fail('EIO') },
}

const words = text => text.split(' ')
const ofPaths = [
  ...words(
    'access appendFile chmod chown exists lstat mkdir open readFile readdir readlink realpath rename rm rmdir',
  ),
  ...words('stat truncate unlink utimes writeFile'),
]
const ofFiles = words('close fchmod fdatasync fstat fsync ftruncate read write writev')
const ofHandles = words('appendFile chmod close datasync read stat sync truncate write writev')

const changing =
  /^(append|chmod|chown|fchmod|fdatasync|fsync|ftruncate|mkdir|rename|rm|truncate|unlink|utimes|write)|sync$/
const freeing = /^(chmod|chown|fchmod|rm|unlink|utimes)/

function changes({ name, flags }) {
  return name === 'open' ? flags !== undefined && flags !== 'r' : changing.test(name)
}

function allocates(call) {
  return changes(call) && !freeing.test(call.name)
}

function mayBeInterrupted(call) {
  return changes(call) || /^(open|read|readFile|close)$/.test(call.name)
}

/** What a system may have put off is told by `close`. */
function endsLate(call) {
  return changes(call) || call.name === 'close'
}

function writes({ name }) {
  return /^(append|write)/.test(name)
}

const { kill } = process
const { statSync, truncateSync, writeSync } = fs

function die() {
  kill.call(process, process.pid, 'SIGKILL')
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) // nothing more happens until the signal arrives
}

function fail(code) {
  return ({ name, path }) => {
    throw Object.assign(new Error(`${code}: put in by a test, ${name} '${path}'`), {
      code,
      syscall: name,
      path,
    })
  }
}

/** Of each file that was opened for writing: its path now, and how many of its bytes would survive a power cut. */
let written = []

function cutPower() {
  for (const { path, durable } of written) if (sizeOf(path) > durable) truncateSync(path, durable)
  die()
}

const sizeOf = path => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** What a call that succeeded means for the files that a power cut would shorten. */
function note({ name, path, flags, to }, sizeBefore) {
  if (name === 'open' && flags !== undefined && flags !== 'r') written.push({ path, durable: sizeBefore })
  if (name === 'rename')
    for (const file of [...written, ...filesOpen.values()]) if (file.path === path) file.path = to
  if (/^(datasync|sync|fdatasync|fsync)$/.test(name))
    for (const file of written) if (file.path === path) file.durable = sizeBefore
}

const filesOpen = new Map()
let plan
let isInside = false

/** Makes the fault happen at the call with the number `at` that it counts, of those in the folder. */
function arm(asked) {
  plan = { ...asked, counted: 0, calls: [], hit: undefined }
  written = []
  return plan
}

function disarm() {
  plan = undefined
}

/** The fault that a call meets. */
function meet(call) {
  if (plan === undefined || isInside || call.path === undefined) return undefined
  const path = resolve(call.path instanceof URL ? call.path.pathname : String(call.path))
  if (path !== plan.folder && !path.startsWith(plan.folder + sep)) return undefined
  call.path = path
  const fault = faults[plan.fault]
  if (!fault?.counts(call)) return {}
  plan.counted += 1
  const isMet = plan.counted === plan.at || (fault.stays && plan.counted > plan.at)
  if (!isMet) return {}
  plan.hit ??= `${call.name} ${basename(call.path)}`
  if (plan.tells) writeSync(2, `${plan.fault} at ${plan.hit}\n`)
  if (call.name === 'close' && fault.instead?.length > 0) return { after: fault.instead } // the system closes it all the same
  return fault
}

/** What is handed over, with half of the bytes where they are to be written. */
function argumentsFor(fault, args, at) {
  if (!fault?.halves) return args
  const bytes = Buffer.from(args[at])
  return args.with?.(at, bytes.subarray(0, bytes.length / 2)) ?? args
}

function inside(work) {
  const before = isInside
  isInside = true
  try {
    return work()
  } finally {
    isInside = before
  }
}

/** What comes of a call that went well. */
function wentWell(call, fault, sizeBefore) {
  note(call, sizeBefore)
  inside(() => fault.after?.(call))
}

/** What comes of one that did not: a process ends there all the same. */
function wentWrong(call, fault, error) {
  if (fault.ends) inside(() => fault.after(call))
  throw error
}

/** Wraps a function that returns or throws. */
function synchronous(call, perform, args, dataAt) {
  const fault = meet(call)
  if (fault === undefined) return perform(args)
  const size = sizeOf(call.path)
  inside(() => fault.instead?.(call))
  let result
  try {
    result = inside(() => perform(argumentsFor(fault, args, dataAt)))
  } catch (error) {
    wentWrong(call, fault, error)
  }
  wentWell(call, fault, size)
  return result
}

/** Wraps a function that returns a promise. */
async function promised(call, perform, args, dataAt) {
  const fault = meet(call)
  if (fault === undefined) return perform(args)
  const size = sizeOf(call.path)
  inside(() => fault.instead?.(call))
  const result = await inside(() => perform(argumentsFor(fault, args, dataAt))).catch(error =>
    wentWrong(call, fault, error),
  )
  try {
    wentWell(call, fault, size)
  } catch (error) {
    if (call.name === 'open') await result.close() // nobody else can
    throw error
  }
  return result
}

/** Wraps a function that calls back. */
function calledBack(call, perform, args) {
  const fault = meet(call)
  const done = args.at(-1)
  if (fault === undefined || typeof done !== 'function') return perform(args)
  const size = sizeOf(call.path)
  const attempt = work => {
    try {
      inside(work)
    } catch (error) {
      return error
    }
  }
  const failure = attempt(() => fault.instead?.(call))
  if (failure !== undefined) return process.nextTick(done, failure)
  const end = (error, ...results) => {
    if (error === null) note(call, size)
    done(error ?? attempt(() => fault.after?.(call)) ?? null, ...results)
  }
  return perform(args.with(-1, end))
}

const flagsOf = (name, args) => (name === 'open' ? (args[1] ?? 'r') : undefined)
const named = (name, args) => ({
  name,
  path: args[0],
  flags: flagsOf(name, args),
  to: name === 'rename' && resolve(String(args[1])),
})
const opened = (name, args) => ({ name, path: filesOpen.get(args[0])?.path })

function wrap(target, key, style, callOf, dataAt) {
  const original = target[key]
  if (original === undefined) return
  const name = key.replace(/Sync$/, '')
  target[key] = function (...args) {
    const isDescriptor = typeof args[0] === 'number'
    const call = (isDescriptor ? opened : callOf)(name, args)
    return style(call, args => original.apply(this, args), args, dataAt)
  }
  Object.assign(target[key], original) // such as realpathSync.native
}

/** Remembers which file a descriptor stands for, whatever name the file gets later. */
function remember(path, fd) {
  const file = { path: resolve(String(path)) }
  filesOpen.set(fd, file)
  return file
}

function wrapHandle(handle, path) {
  const file = remember(path, handle.fd)
  for (const name of ofHandles) wrap(handle, name, promised, () => ({ name, path: file.path }), 0)
  return handle
}

for (const name of ofPaths) {
  wrap(fs, `${name}Sync`, synchronous, named, 1)
  wrap(fs.promises, name, promised, named, 1)
}
for (const name of ofFiles) wrap(fs, `${name}Sync`, synchronous, opened, 1)
for (const name of ['open', 'stat', 'lstat']) wrap(fs, name, calledBack, named)
for (const name of ['read', 'write', 'writev', 'close', 'fsync']) wrap(fs, name, calledBack, opened)

const { openSync, existsSync, open } = fs
const { open: openHandle } = fs.promises
fs.openSync = (path, ...args) => {
  const fd = openSync(path, ...args)
  remember(path, fd)
  return fd
}
fs.open = (path, ...args) =>
  open(path, ...args.slice(0, -1), (error, fd) => {
    if (error === null) remember(path, fd)
    args.at(-1)(error, fd)
  })
fs.promises.open = async (path, ...args) => wrapHandle(await openHandle(path, ...args), path)
fs.existsSync = path => {
  try {
    return existsSync(path)
  } catch {
    return false
  }
}
syncBuiltinESMExports()

const asked = process.env.ROWLIFT_FAULT
if (asked !== undefined) {
  Math.random = () => 0 // no wait before a further attempt
  arm({ ...JSON.parse(asked), tells: true })
}

module.exports = { arm, disarm, faults: Object.keys(faults) }
