/** Catches uncaught exceptions and unhandled rejections of this process, and reports each. Returns what ends that. */
export function takeStrays(report: (what: string, error: unknown) => void): () => void {
  const names = ['uncaughtException', 'unhandledRejection'] as const
  const restore = names.map(name => {
    const others = process.listeners(name as 'uncaughtException')
    process.removeAllListeners(name)
    const mine = (error: unknown): void => report(name, error)
    process.on(name, mine)
    return () => {
      process.off(name, mine)
      for (const other of others) process.on(name as 'uncaughtException', other)
    }
  })
  return () => {
    for (const one of restore) one()
  }
}

/** What of this process is open, by kind. Timers are left to the clock. */
export function openResources(): Map<string, number> {
  const open = new Map<string, number>()
  for (const name of process.getActiveResourcesInfo()) {
    if (/^(TCP|TLS|Pipe|Process|FSEvent|StatWatcher|Zlib|Http2|Worker|MessagePort|Timeout)/.test(name)) {
      open.set(name, (open.get(name) ?? 0) + 1)
    }
  }
  return open
}
