import type { ObjectEvent } from './event.ts'

/** The changes of an event. */
export interface Changes {
  /**
   * The changed fields: `spec.replicas`, `metadata.labels["app.kubernetes.io/name"]`, `spec.containers[0].image`. A list of another
   * length is one field. At most 100.
   */
  readonly paths: readonly string[]
  /** The field managers that made the changes. Empty unless the view keeps `managedFields`: `view.full()`. */
  readonly managers: readonly string[]
}

/**
 * Names the fields that an update changed, and their managers, for a predicate or a log. The result is empty for adds and deletes. `resourceVersion`,
 * `generation` and `managedFields` do not count as fields.
 *
 * @example
 * ```ts
 * import { deployments } from '@wherry/client/resources/apps'
 * import { changesOf, type Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('report').for(deployments)
 *     .withPredicates(event => changesOf(event).paths.some(path => path.startsWith('spec.template.')))
 *     .reconcile(({ key, log }) => log.info({}, `a new template of ${key.name}`))
 * }
 * ```
 */
export function changesOf(event: ObjectEvent<unknown>): Changes {
  return event.type === 'update' ? changesBetween(event.old, event.object) : { paths: [], managers: [] }
}

/**
 * The differences between two states of an object. It takes time in proportion to their size, however wide or deep they are, because anybody may have
 * written them (rule X13).
 */
export function changesBetween(old: unknown, now: unknown): Changes {
  const paths: string[] = []
  for (const path of differences(old, now)) {
    paths.push(textOf(path))
    if (paths.length === mostPaths) break
  }
  return { paths, managers: managersOf(old, now) }
}

/** The paths, at most `most`, of the fields of a desired state that have another value in the object. */
export function pathsChangedFrom(desired: unknown, now: unknown, most: number): readonly string[] {
  const paths: string[] = []
  for (const path of differences(desired, now, false)) {
    paths.push(textOf(path))
    if (paths.length === most) break
  }
  return paths
}

/** Whether two states of an object differ in anything but the status. */
export function differsOutsideStatus(old: unknown, now: unknown): boolean {
  for (const path of differences(old, now)) if (rootOf(path) !== 'status') return true
  return false
}

function rootOf(place: Place | undefined): string | number | undefined {
  let root = place
  while (root?.parent !== undefined) root = root.parent
  return root?.step
}

const mostPaths = 100

/** A place in an object, as a chain of steps, so that the text of a deep place is made only if the place differs. */
interface Place {
  readonly parent: Place | undefined
  readonly step: string | number
}

interface Pair {
  readonly old: unknown
  readonly now: unknown
  readonly place: Place | undefined
}

/** Metadata that each write changes, which is no change in itself. */
const bookkeeping: ReadonlySet<unknown> = new Set(['resourceVersion', 'generation', 'managedFields'])

/** The places that differ, in the order of the object. Without recursion: an object may be deeper than the stack. */
function* differences(old: unknown, now: unknown, countsAdditions = true): Generator<Place | undefined> {
  const left: Pair[] = [{ old, now, place: undefined }]
  for (let pair = left.pop(); pair !== undefined; pair = left.pop()) {
    const { old, now, place } = pair
    if (old === now || isBookkeeping(place) || (old === undefined && !countsAdditions)) continue
    const steps = stepsInto(old, now)
    if (steps === undefined) yield place
    else {
      // `pop` takes the last step, so the first step is pushed last.
      for (let at = steps.length - 1; at >= 0; at--) {
        const step = steps[at] as string | number
        left.push({ old: valueAt(old, step), now: valueAt(now, step), place: { parent: place, step } })
      }
    }
  }
}

/** The names or indices below which two values may differ; `undefined` if the values differ as wholes. */
function stepsInto(old: unknown, now: unknown): readonly (string | number)[] | undefined {
  if (Array.isArray(old) && Array.isArray(now)) return old.length === now.length ? [...now.keys()] : undefined
  if (!isObject(old) || !isObject(now)) return undefined
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
}

function valueAt(value: unknown, step: string | number): unknown {
  return Object.hasOwn(value as object, step) ? (value as Readonly<Record<string | number, unknown>>)[step] : undefined
}

function isBookkeeping(place: Place | undefined): boolean {
  const { parent } = place ?? {}
  return parent?.step === 'metadata' && parent.parent === undefined && bookkeeping.has(place?.step)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(place: Place | undefined): string {
  const steps: (string | number)[] = []
  for (let at = place; at !== undefined; at = at.parent) steps.push(at.step)
  let text = ''
  for (const step of steps.reverse()) {
    if (typeof step === 'number') text += `[${step}]`
    else if (!/^[A-Za-z_$][\w$-]*$/.test(step)) text += `[${JSON.stringify(step)}]`
    else text += text === '' ? step : `.${step}`
  }
  return text
}

interface Entry {
  readonly manager?: string | undefined
  readonly operation?: string | undefined
  readonly apiVersion?: string | undefined
  readonly subresource?: string | undefined
}

interface Managed {
  readonly metadata?: { readonly managedFields?: readonly Entry[] | undefined } | undefined
}

/**
 * The managers with entries that are new, or differ. A server keeps one entry for each manager, operation, version and subresource, so an entry is compared
 * with one entry.
 */
function managersOf(old: unknown, now: unknown): readonly string[] {
  const before = new Map((old as Managed | undefined)?.metadata?.managedFields?.map(entry => [nameOf(entry), entry]))
  const managers = new Set<string>()
  for (const entry of (now as Managed | undefined)?.metadata?.managedFields ?? []) {
    const { manager } = entry
    if (manager === undefined || managers.has(manager)) continue
    const { done: isSame } = differences(before.get(nameOf(entry)), entry).next()
    if (isSame !== true) managers.add(manager)
  }
  return [...managers].sort()
}

function nameOf({ manager, operation, apiVersion, subresource }: Entry): string {
  return JSON.stringify([manager, operation, apiVersion, subresource])
}
