/**
 * Fields of a status that say only when something was looked at. A status that differs in nothing else is not written: each write would be an event,
 * and for many operators the reason for their next run. (`lastScheduleTime` is none of them: it is what a schedule goes on from.)
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
