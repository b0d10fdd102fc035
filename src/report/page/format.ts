// Times and search, as the page and its script need them.

const timeFormat = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZone: 'UTC' },
})

/** `21 Nov 2026, 09:12:07`, in UTC. A text that is not a time stays as it is. */
export function showTime(at: string): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? at : timeFormat.format(date)
}

/** A text as the search compares it: in lower case and without accents. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
