const dayMs = 86_400_000
const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

type Rule = Readonly<Record<string, readonly string[]>>

/** The parts of a rule that name a day. */
const namesOf = (time: number): Rule => {
  const at = new Date(time)
  const day = at.getUTCDate()
  const back = Math.round((new Date(at).setUTCMonth(at.getUTCMonth() + 1, 0) - time) / dayMs) + 1
  const weekday = weekdays[at.getUTCDay()] ?? ''
  return {
    BYMONTHDAY: [`${day}`, `-${back}`],
    BYDAY: [weekday, `${Math.ceil(day / 7)}${weekday}`, `-${Math.ceil(back / 7)}${weekday}`],
  }
}

const periods: Readonly<Record<string, (time: number, rule: Rule) => number>> = {
  DAILY: time => Math.floor(time / dayMs),
  WEEKLY: (time, { WKST = ['MO'] }) =>
    Math.floor((Math.floor(time / dayMs) + 4 - weekdays.indexOf(String(WKST))) / 7),
  MONTHLY: time => new Date(time).getUTCFullYear() * 12 + new Date(time).getUTCMonth(),
  YEARLY: time => new Date(time).getUTCFullYear(),
}

const monthOf = (time: number) => `${new Date(time).getUTCMonth() + 1}`

/** The parts of a rule; undefined for one that is not read: one by hours, days of the year or numbers of weeks. */
function ruleOf(text: string, start: number): Rule | undefined {
  const plain = text.toUpperCase().replaceAll(/\+|\b0+(?=\d)/g, '')
  const rule: Rule = Object.fromEntries(
    plain.split(';').map(part => [part.replace(/=.*/, ''), part.replace(/.*=/, '').split(',')]),
  )
  const freq = String(rule.FREQ)
  const isRead = /^((FREQ|INTERVAL|COUNT|UNTIL|BYMONTH|BYMONTHDAY|BYDAY|WKST)=[^;=]+(;|$))+$/.test(plain)
  const isOfMonth = freq === 'MONTHLY' || rule.BYMONTH !== undefined
  if (!isRead || !(freq in periods) || (/\d/.test(String(rule.BYDAY)) && !isOfMonth)) return undefined
  if (freq === 'DAILY' || rule.BYDAY || rule.BYMONTHDAY) return rule
  const part = freq === 'WEEKLY' ? 'BYDAY' : 'BYMONTHDAY'
  const month = freq === 'YEARLY' && { BYMONTH: [monthOf(start)] }
  return { ...month, ...rule, [part]: namesOf(start)[part]?.slice(0, 1) ?? [] }
}

/**
 * The start, and the later times of a rule of whole days, for 550 years: wall-clock times as if they were UTC. NaN means
 * those of a rule that is not read.
 */
export function* occurrences(text: string, start: number, endOf: (until: string) => number) {
  yield start
  const rule = text === '' ? {} : ruleOf(text, start)
  const period = periods[String(rule?.FREQ)]
  if (rule === undefined || period === undefined) return yield* text === '' ? [] : [Number.NaN]
  const end = Math.min(start + 200_000 * dayMs, ...(rule.UNTIL ?? []).map(endOf))
  let left = Number(rule.COUNT ?? Number.POSITIVE_INFINITY)
  for (let time = start + dayMs; time <= end && left > 1; time += dayMs) {
    if (rule.BYMONTH && !rule.BYMONTH.includes(monthOf(time))) continue
    if ((period(time, rule) - period(start, rule)) % Number(rule.INTERVAL ?? 1) !== 0) continue
    const isNamed = Object.entries(namesOf(time)).every(
      ([part, names]) => rule[part] === undefined || names.some(name => rule[part]?.includes(name)),
    )
    if (isNamed) left -= 1
    if (isNamed) yield time
  }
}
