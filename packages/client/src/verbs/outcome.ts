import type { KubernetesObject } from '../views/object.ts'

/** How far the clocks of this machine and the server may be apart, in milliseconds. */
const maxSkewMs = 60_000

/**
 * Whether `found` is the result of a create of `sent` that began at `beganMs`: it has all fields that were sent, was not created before (if it says when), and
 * is not being deleted. Other fields may have any value. A field that the server has normalized (a quantity) counts as different:
 * a wrong failure is safe, and a wrong success is not.
 */
export function isOutcomeOf(sent: KubernetesObject, found: KubernetesObject, beganMs: number): boolean {
  const { creationTimestamp, deletionTimestamp } = found.metadata ?? {}
  if (deletionTimestamp !== undefined) return false
  const created = Date.parse(creationTimestamp ?? '')
  if (created + maxSkewMs < beganMs) return false
  const { status: _, ...body } = sent as KubernetesObject & { status?: unknown }
  if (sent.kind !== 'Secret' || sent.apiVersion !== 'v1') return holds(found, body)
  const { stringData, ...secret } = body as KubernetesObject & { stringData?: unknown }
  return holds(found, secret) && holdsText(found, stringData)
}

/** Whether `found` has all that `sent` has. Empty values may have been dropped. */
function holds(found: unknown, sent: unknown): boolean {
  if (isEmpty(sent)) return found === sent || found === undefined || isEmpty(found)
  if (Array.isArray(sent)) {
    return Array.isArray(found) && found.length === sent.length && sent.every((item, i) => holds(found[i], item))
  }
  if (typeof sent !== 'object') return same(found, sent)
  if (found === null || typeof found !== 'object') return false
  return Object.entries(sent as object).every(([key, value]) =>
    holds(Object.hasOwn(found, key) ? (found as Record<string, unknown>)[key] : undefined, value),
  )
}

function same(found: unknown, sent: unknown): boolean {
  // Only a bigint and a number can be equal without being identical.
  return found === sent || (typeof found === 'bigint' && typeof sent === 'number' && Number(found) === sent)
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Whether a Secret's `data` contains the sent `stringData`, which is only written, and stored as base64 in `data`. */
function holdsText(found: KubernetesObject, stringData: unknown): boolean {
  if (isEmpty(stringData)) return true
  const data = Object.entries(stringData as Record<string, unknown>).map(([key, value]) => [
    key,
    Buffer.from(`${value}`).toString('base64'),
  ])
  return holds((found as { data?: unknown }).data, Object.fromEntries(data))
}
