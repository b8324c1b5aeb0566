/** A time as Kubernetes writes it: RFC 3339 in UTC, whole seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
