// Loaded into a worker before its own code (NODE_OPTIONS=--require): its calls say which machine they come from, and its wall clock
// is wrong by MACHINE_CLOCK_MS, or by an hour more after each SIGUSR2. After a SIGWINCH it stops itself while it opens the next
// connection for a call.
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
