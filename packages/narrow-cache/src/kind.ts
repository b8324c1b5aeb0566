import { type Environment, InvalidObjectError, resourceName, type View } from '@wherry/client'
import { Bucket } from './bucket.ts'
import type { Entry } from './entry.ts'
import { type Escalated, Escalation } from './escalation.ts'
import type { Shared } from './shared.ts'

/**
 * A resource and selectors: what an entry is of, beside its key (rule N2). Exact views are decoded apart. It says how each
 * of its entries is watched: by itself, or by one watch for its namespace, or by one for all (rule N11).
 */
export class Kind implements Escalated {
  readonly view: View
  readonly shared: Shared
  readonly resource: string
  /** For reflectors: what fails is told by the entry, with its key, and once. */
  readonly environment: Environment
  /** By namespace; `''` where there are none. None of them is empty for long. */
  readonly buckets: Map<string, Bucket> = new Map<string, Bucket>()
  /** To one watch of all namespaces; `undefined` where the resource has none, and one bucket. */
  readonly escalation: Escalation | undefined
  readonly namespace = undefined
  #size = 0
  /** There are so many that one watch is to take over from all, or one in each namespace where that is refused. */
  #isMany = false

  constructor(view: View, shared: Shared) {
    const { environment } = shared
    this.view = view
    this.shared = shared
    this.resource = resourceName(view.resource)
    this.escalation = view.resource.namespaced ? new Escalation(this) : undefined
    this.environment = {
      ...environment,
      random: () => environment.random(),
      onError: (error, context) => {
        const isOfEntry =
          (context.phase === 'list' || context.phase === 'watch') && !(error instanceof InvalidObjectError)
        if (!isOfEntry) environment.onError(error, context)
      },
    }
  }

  get kind(): Kind {
    return this
  }

  /** How many entries there are, in all namespaces. */
  get size(): number {
    return this.#size
  }

  bucket(namespace: string | undefined): Bucket {
    const key = namespace ?? ''
    const found = this.buckets.get(key)
    if (found !== undefined) return found
    const bucket = new Bucket(this, namespace)
    this.buckets.set(key, bucket)
    return bucket
  }

  all(): Entry[] {
    return [...this.buckets.values()].flatMap(bucket => bucket.all())
  }

  find(namespace: string | undefined, text: string): Entry | undefined {
    return this.buckets.get(namespace ?? '')?.entries.get(text)
  }

  /** Begins to watch an entry. */
  add(entry: Entry): void {
    const { bucket } = entry
    bucket.entries.set(entry.key.text, entry)
    this.#size += 1
    const wasMany = this.#isMany
    if (this.escalation !== undefined && this.#size > this.shared.settings.escalateAllAt) this.#isMany = true
    if (this.#isMany) this.#riseAll(wasMany ? [bucket] : this.buckets.values())
    else if (bucket.entries.size > bucket.escalateAt) bucket.rise()
    this.place(entry)
  }

  /** It was closed. `isRoomy`: all entries may have watches of their own. */
  remove({ bucket, key }: Entry, isRoomy: boolean): void {
    bucket.entries.delete(key.text)
    this.#size -= 1
    this.tidy(bucket)
    if (this.#size === 0) this.escalation?.end()
    else if (isRoomy) this.#shrink([bucket])
  }

  /** All entries may have watches of their own again. */
  roomy(): void {
    this.#shrink(this.buckets.values())
  }

  /** Has one watch take over, which `bucket` needs. Gives whether there will be one, unless it is refused. */
  rise(bucket: Bucket): boolean {
    if (this.escalation?.isUp === true || bucket.rise()) return true
    return this.#mayRise && this.escalation?.rise() === true
  }

  place(entry: Entry): void {
    const { ways } = entry.bucket
    const wide = ways.find(({ phase }) => phase === 'wide')
    if (entry.isOver || (wide !== undefined && entry.feeding.wide === wide)) return
    if (wide !== undefined) entry.feeding.moveTo(wide, undefined)
    else if (ways.some(({ isComing }) => isComing) || entry.feeding.isOnItsOwn) return
    else if (entry.isOverBound && ways.some(({ isUp }) => isUp)) entry.news()
    else if (entry.isOverBound && !entry.wasKnown) entry.full()
    else entry.feeding.openInTurn()
  }

  /** Of all namespaces: theirs are not needed any more. */
  wide(): void {
    for (const { escalation } of this.buckets.values()) escalation.end()
  }

  /** Of all namespaces: one in each, then. */
  refused(): void {
    for (const bucket of this.buckets.values()) this.#riseOne(bucket)
  }

  again(): void {
    if (this.#isMany) this.#riseAll(this.buckets.values())
    else for (const bucket of this.buckets.values()) this.riseWhereMany(bucket)
  }

  /** Has one watch take over for those of one namespace where there are too many. */
  riseWhereMany(bucket: Bucket): void {
    if (this.escalation?.isUp === true) return
    if (this.#isMany) this.#riseOne(bucket)
    else if (bucket.entries.size > bucket.escalateAt) bucket.rise()
    else if (bucket.all().some(({ isOverBound }) => isOverBound)) this.rise(bucket)
  }

  /** Forgets a bucket where it is empty. */
  tidy({ entries, escalation, namespace }: Bucket): void {
    if (entries.size > 0) return
    escalation.end()
    this.buckets.delete(namespace ?? '')
  }

  /** Lets go of the watches that are nobody's own. */
  close(): void {
    this.escalation?.end()
    for (const { escalation } of this.buckets.values()) escalation.end()
    this.buckets.clear()
  }

  get #mayRise(): boolean {
    return this.shared.settings.escalateAllAt !== Number.POSITIVE_INFINITY
  }

  /** One watch of all, or else one for each of these that has none. */
  #riseAll(buckets: Iterable<Bucket>): void {
    // What one namespace has is what its own watch brings, and no more.
    const [only] = this.buckets.size === 1 ? this.buckets.values() : []
    if (only?.escalation.isUp === true || this.escalation?.rise() === true) return
    for (const bucket of buckets) this.#riseOne(bucket)
  }

  /** A watch of the metadata of all is no gain over that of the one object. */
  #riseOne(bucket: Bucket): void {
    if (bucket.entries.size > 1) bucket.rise()
  }

  /** Fewer are left: below half of what there are too many of, each is watched by itself again. */
  #shrink(buckets: Iterable<Bucket>): void {
    const isFew = this.#size < this.shared.settings.escalateAllAt / 2
    const wasMany = this.#isMany
    if (isFew) this.#isMany = false
    if (this.#isMany) return
    if (isFew && this.escalation?.isUp === true) {
      for (const one of this.buckets.values()) if (one.entries.size > one.escalateAt) one.rise()
      this.escalation.fall()
    }
    for (const one of wasMany ? this.buckets.values() : buckets) this.#shrinkOne(one)
  }

  #shrinkOne({ entries, escalation, escalateAt }: Bucket): void {
    if (escalation.isUp && entries.size < escalateAt / 2) escalation.fall()
  }
}

/** What views share entries. */
export function kindKey({ resource, labels, fields, projection }: View): string {
  const { group, version, plural } = resource
  return JSON.stringify([group, version, plural, labels.text, fields.text, projection.kind === 'exact'])
}
