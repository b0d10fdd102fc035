/** Options for `expect.poll`: poll often, and long enough for a busy machine. */
export const pollOptions = { timeout: 50_000, interval: 5 } as const
