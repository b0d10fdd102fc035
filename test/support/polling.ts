/** How to poll for what is sure to come: often, and for as long as a test may take on a machine that is busy. */
export const pollOptions = { timeout: 50_000, interval: 5 } as const
