// Loaded into a worker before its own code (NODE_OPTIONS=--require): its calls say which machine they come from, and its wall clock
// is wrong by MACHINE_CLOCK_MS, or by an hour more after each SIGUSR2.
const http = require('node:http')

let shiftMs = Number(process.env.MACHINE_CLOCK_MS)
process.on('SIGUSR2', () => {
  shiftMs += 3_600_000
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
  return made
}
