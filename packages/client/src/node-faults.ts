/** By maintained line of Node, its first version without a known fault that affects a client. docs/security.md names the faults. */
const mended: Readonly<Record<number, readonly [minor: number, patch: number]>> = {
  22: [23, 2],
  24: [18, 1],
  26: [5, 1],
}

/**
 * A text about known faults of a Node version that affect a client of Kubernetes: of HTTP/2, TLS and the permission model. `undefined` if none is known, and
 * for Bun and Deno, which only report a version of Node.
 *
 * @param versions `process.versions`
 */
export function nodeFault(versions: Readonly<Record<string, string | undefined>>): string | undefined {
  const { node, bun, deno } = versions
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)/.exec(node ?? '')?.map(Number) ?? []
  if (bun !== undefined || deno !== undefined || major === undefined || minor === undefined || patch === undefined)
    return undefined
  const known = Object.keys(mended).map(Number)
  if (major > Math.max(...known)) return undefined
  const first = mended[major]
  if (first === undefined) return `Node ${node} has known faults, and its line is not mended any more: ${advice(known)}`
  const [firstMinor, firstPatch] = first
  const isMended = minor > firstMinor || (minor === firstMinor && patch >= firstPatch)
  return isMended ? undefined : `Node ${node} has known faults of HTTP/2 and TLS: ${advice([major])}`
}

function advice(lines: readonly number[]): string {
  const versions = lines.map(line => [line, ...(mended[line] ?? [])].join('.'))
  return `use ${versions.join(', ')} or a newer one of that line`
}
