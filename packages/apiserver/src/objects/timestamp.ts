/** A time as Kubernetes writes it: RFC 3339 in UTC, whole seconds. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000)
  // Cached, because a server writes many objects in one second.
  if (second !== last.second) last = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` }
  return last.text
}

let last = { second: Number.NaN, text: '' }
