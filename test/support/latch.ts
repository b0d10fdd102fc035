/** Blocks those who wait for it until a test opens it. */
export interface Latch {
  /** Resolves once it is open. */
  readonly opened: Promise<void>
  open(): void
}

export function closedLatch(): Latch {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { opened, open }
}
