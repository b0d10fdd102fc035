// Loaded into a worker before its own code (NODE_OPTIONS=--require): its calls say which machine they come from, and its wall clock
// is wrong by MACHINE_CLOCK_MS, or by an hour more after each SIGUSR2. After a SIGWINCH it stops itself while it opens the next
// connection for a call. What it hears from the service is in MACHINE_HEARD, line by line, before its own code knows.
const { appendFileSync } = require('node:fs')
const http = require('node:http')

let shiftMs = Number(process.env.MACHINE_CLOCK_MS)
process.on('SIGUSR2', () => {
  shiftMs += 3_600_000
})

let stopsAtConnection = false
process.on('SIGWINCH', () => {
  stopsAtConnection = true
})

const RealDate = Date
globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length > 0 ? parts : [RealDate.now() + shiftMs]))
  }
  static now() {
    return RealDate.now() + shiftMs
  }
}

const { request } = http
http.request = (...args) => {
  const made = request(...args)
  made.setHeader('x-machine', process.env.MACHINE_NAME)
  made.once('socket', ({ connecting }) => {
    if (!connecting || !stopsAtConnection) return
    stopsAtConnection = false
    process.kill(process.pid, 'SIGSTOP')
  })
  return made
}

const { push } = http.IncomingMessage.prototype
const answers = new WeakMap()
http.IncomingMessage.prototype.push = function (chunk, ...more) {
  const text = (answers.get(this) ?? '') + (chunk ?? '')
  answers.set(this, text)
  if (chunk === null && this.statusCode === 200) noteAnswer(text)
  return push.call(this, chunk, ...more)
}

function noteAnswer(text) {
  const { MACHINE_HEARD: path, MACHINE_LIFE: life } = process.env
  try {
    const { name, record_id: recordId } = JSON.parse(text)
    if (path && recordId) appendFileSync(path, `${JSON.stringify({ life, name, recordId })}\n`)
  } catch {} // no JSON: the service lies, or was cut off
}
