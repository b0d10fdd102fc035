import type { Words } from '../../output/words/sentence.ts'

export const calendarWords = {
  rows: {
    task_not_ended: `is a task without END:VTODO or an event without END:VEVENT, or has a part without an end
      → look whether the file is cut short; export it again`,
  },
  sources: {
    bad_calendar: (p: { source: string; why: 'not_begun' | 'not_ended' }) =>
      p.why === 'not_begun'
        ? `{source}: is no calendar, for it does not begin with BEGIN:VCALENDAR
          → give it its own name or format`
        : '{source}: is cut short, for it has no END:VCALENDAR → export it again',
    no_tasks: (p: {
      source: string
      events: number
    }) => `{source}: holds {events} event${p.events === 1 ? '' : 's'} and no tasks
      → export the task list, in many programs a calendar of its own; or import the events as tasks, by source: { rows: events }`,
  },
} as const satisfies Record<string, Words>
