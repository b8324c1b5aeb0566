/**
 * Fields of a status that record only the time of a check. A status that differs only in these is not written, because each write is an event,
 * which makes many operators run again. `lastScheduleTime` is not among them, because a schedule continues from it.
 */
export const statusTimes: ReadonlySet<string> = new Set([
  'lastHeartbeatTime',
  'lastProbeTime',
  'lastTransitionTime',
  'lastUpdateTime',
])

/** A value without the fields of these names, however deep they are. */
export function withoutTimes(value: unknown, times: ReadonlySet<string>, depth = 0): unknown {
  // Anybody may write a value that is deeper than the stack.
  if (value === null || typeof value !== 'object' || depth > mostDepth) return value
  if (Array.isArray(value)) return value.map(item => withoutTimes(item, times, depth + 1))
  const kept = Object.entries(value).filter(([name]) => !times.has(name))
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutTimes(item, times, depth + 1)]))
}

const mostDepth = 100
