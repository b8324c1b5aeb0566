import { isDeepStrictEqual } from 'node:util'
import type { ObjectEvent } from './event.ts'

/** What an event changed. */
export interface Changes {
  /**
   * The fields that have another value now: `spec.replicas`, `metadata.labels["app.kubernetes.io/name"]`, `spec.containers[0].image`. A list of another
   * length is one field. At most 100.
   */
  readonly paths: readonly string[]
  /** The field managers that wrote it. Known only to a view that keeps `managedFields`: `view.full()`. */
  readonly managers: readonly string[]
}

/**
 * Names what an update changed, and who did it: for a predicate or a log. An add or a delete changed nothing that could be named. `resourceVersion`,
 * `generation` and `managedFields` do not count as fields.
 *
 * ```ts
 * .withPredicates(event => changesOf(event).paths.some(path => path.startsWith('spec.')))
 * ```
 */
export function changesOf(event: ObjectEvent<unknown>): Changes {
  return event.type === 'update' ? changesBetween(event.old, event.object) : { paths: [], managers: [] }
}

/** What differs between two states of an object. */
export function changesBetween(old: unknown, now: unknown): Changes {
  const paths: string[] = []
  compare(old, now, '', paths)
  return { paths, managers: managersOf(old, now) }
}

const mostPaths = 100

/** Written with each change, and no change in themselves. */
const bookkeeping: ReadonlySet<string> = new Set([
  'metadata.resourceVersion',
  'metadata.generation',
  'metadata.managedFields',
])

function compare(old: unknown, now: unknown, path: string, paths: string[]): void {
  if (old === now || paths.length === mostPaths || bookkeeping.has(path)) return
  if (Array.isArray(old) && Array.isArray(now) && old.length === now.length) {
    for (const [at, item] of now.entries()) compare(old[at], item, `${path}[${at}]`, paths)
  } else if (isObject(old) && isObject(now)) {
    for (const name of new Set([...Object.keys(old), ...Object.keys(now)]))
      compare(old[name], now[name], `${path}${step(name, path)}`, paths)
  } else if (!isDeepStrictEqual(old, now)) paths.push(path)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function step(name: string, path: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `[${JSON.stringify(name)}]`
  return path === '' ? name : `.${name}`
}

interface Managed {
  readonly metadata?:
    | { readonly managedFields?: readonly { readonly manager?: string | undefined }[] | undefined }
    | undefined
}

/** Those whose entries are new, or differ. */
function managersOf(old: unknown, now: unknown): readonly string[] {
  const before = (old as Managed | undefined)?.metadata?.managedFields ?? []
  const after = (now as Managed | undefined)?.metadata?.managedFields ?? []
  const written = after.filter(entry => !before.some(one => isDeepStrictEqual(one, entry)))
  return [...new Set(written.flatMap(({ manager }) => manager ?? []))].sort()
}
