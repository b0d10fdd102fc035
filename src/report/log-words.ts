/** How much is logged, from everything to nothing. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]
/** For people, or for programs. */
export const logFormats = ['pretty', 'json'] as const
export type LogFormat = (typeof logFormats)[number]
