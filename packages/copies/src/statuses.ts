import { type Client, FieldSelector, isNotFound, type KubernetesObject, type View } from '@wherry/client'
import { keyText, readAs, resourceName } from '@wherry/client/internal'
import {
  type Applied,
  type ControllerSource,
  FlappingError,
  NoStatusError,
  type ReconcileContext,
} from '@wherry/controller'
import { type AppliedObject, applyEmptying } from '@wherry/controller/internal'
import { copySetLabel } from './marks.ts'
import type { CopiesOptions } from './options.ts'
import type { Reason } from './pending-copies.ts'
import { RepairDelays } from './repair-delays.ts'
import type { CopyCounts } from './report.ts'
import type { Source } from './sources.ts'
import { appliedDigest } from './status-digest.ts'

/** A copy and the outcome of its apply. */
export interface CopyState<T> {
  readonly at: { readonly namespace: string; readonly name: string }
  /** The copy in the cache. */
  readonly seen: AppliedObject | undefined
  /** The result of the apply of the copy just before. */
  readonly applied: Applied<T>
  readonly reason: Reason
}

type Context = Pick<ReconcileContext<unknown>, 'client' | 'events' | 'signal'>

/**
 * Applies the statuses of copies. For each copy, the cache keeps a digest of the status fields that this set has applied. The field manager is
 * `copies-NAME`, a name that the cache can use before an operator exists.
 */
export class Statuses<P, T extends KubernetesObject> {
  /** The source by which the cache keeps the digests. It runs no keys. */
  readonly source: ControllerSource
  readonly #view: View<T, 'namespaced'>
  readonly #options: Pick<CopiesOptions<P, T>, 'name' | 'fieldValidation' | 'timeoutMs'>
  readonly #counts: CopyCounts
  readonly #manager: string
  readonly #delays = new RepairDelays()

  constructor(view: View<T, 'namespaced'>, options: CopiesOptions<P, T>, counts: CopyCounts) {
    const { copies, name } = options
    this.#view = view
    this.#options = options
    this.#counts = counts
    this.#manager = `copies-${name}`
    const marked = copies.within({ labels: { [copySetLabel]: name } })
    this.source = {
      name: `statuses of ${view.key}`,
      view: marked.project(digestName, copy =>
        appliedDigest(copy as KubernetesObject, this.#manager),
      ) as unknown as View,
      isOwned: true,
      keepsValues: true,
      connect: () => ({ synced: async () => {}, close: async () => {} }),
    }
  }

  /** Makes the status of a copy as its source wants it. Returns the time that the write has to wait, in milliseconds; 0 if the status is done. */
  async bring(source: Source<P, T>, copy: CopyState<T>, context: Context): Promise<number> {
    const { applied, seen, at } = copy
    const { uid } = applied.object?.metadata ?? seen?.metadata ?? {}
    // The copy is being deleted, or was deleted: another run makes it again.
    if (uid === undefined || applied.outcome === 'deleting') return 0
    const found = seen?.metadata.uid === uid ? (seen?.values?.[digestName] as string | undefined) : undefined
    if (source.isStatus(found)) return 0
    return source.firstStatus.before(async () => {
      if (source.isStatus(found)) return 0
      const waitMs = copy.reason === 'drift' ? this.#delays.admit(keyText(at), context.client.environment.clock) : 0
      if (waitMs > 0) await this.#report(at, waitMs, context)
      else await this.#send(source, copy, uid, context)
      return waitMs
    })
  }

  /** Whole copies, with their managed fields. */
  get #full(): View<T, 'namespaced'> {
    return readAs(this.#view as unknown as View, 'full') as unknown as View<T, 'namespaced'>
  }

  async #send(
    source: Source<P, T>,
    { at, seen, applied, reason }: CopyState<T>,
    uid: string,
    { client, signal }: Context,
  ): Promise<void> {
    const { fieldValidation, timeoutMs } = this.#options
    const { status } = source.status() ?? {}
    const object = { metadata: { ...at, uid }, ...(status !== undefined && { status }) }
    const options = { fieldManager: this.#manager, force: true, fieldValidation, timeoutMs, signal }
    try {
      const before = applied.object?.metadata?.resourceVersion ?? seen?.metadata.resourceVersion
      const answer = await applyEmptying(client.status, this.#full, object as KubernetesObject, before, options)
      source.learnStatus(appliedDigest(answer, this.#manager))
      const isChanged = answer.metadata?.resourceVersion !== before
      this.#counts.statusApplied(applied.outcome === 'created' ? 'missing' : reason, isChanged)
    } catch (error) {
      if (!isNotFound(error)) throw error
      // A 404 means that the copy was deleted, and its event will make it again, or that an existing copy has no status subresource.
      const copy = await this.#live(client, at, signal)
      if (copy !== undefined) throw new NoStatusError(resourceName(this.#view.resource), error)
    }
  }

  /** Reports once that other programs undo the writes. */
  async #report(at: CopyState<T>['at'], delayMs: number, { client, events, signal }: Context): Promise<void> {
    const key = keyText(at)
    if (!this.#delays.isNews(key)) return
    const { metadata } = (await this.#live(client, at, signal).catch(() => undefined)) ?? {}
    const writers = metadata?.managedFields?.flatMap(({ subresource, manager = '' }) =>
      subresource === 'status' ? [manager] : [],
    )
    const managers = [...new Set(writers)].filter(one => one !== this.#manager)
    const error = new FlappingError({ view: this.#view.key, key, delayMs, managers, keys: [] })
    const controller = `copies-${this.#options.name}`
    client.environment.metrics.count('wherry_apply_flapping_total', { controller })
    client.environment.onError(error, { phase: `copies ${this.#options.name}`, resource: this.#view.key, key })
    events.record({ type: 'Warning', reason: 'FieldFight', message: error.message })
  }

  /** Reads the present copy from the server. Uses a list of its name, so that no right to get it is needed. */
  async #live(client: Client, at: CopyState<T>['at'], signal: AbortSignal): Promise<KubernetesObject | undefined> {
    const { namespace, name } = at
    const fields = FieldSelector.of({ 'metadata.name': name }, 'fields')
    const { items } = await client.list({ ...this.#full, namespaces: [namespace], fields } as View<T, 'namespaced'>, {
      signal,
    })
    return items[0] as KubernetesObject | undefined
  }
}

/** The name under which the cache keeps the digest of a copy. */
const digestName = 'status'
