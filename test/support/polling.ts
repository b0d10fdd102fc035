const isOnWine = process.env.ROWLIFT_WINDOWS_NODE !== undefined

/** Options for `expect.poll`: poll often, and long enough for a busy machine, or for wine. */
export const pollOptions = { timeout: isOnWine ? 150_000 : 50_000, interval: 5 } as const
