import { ApiError, type ObjectKey } from '@wherry/client'
import { namespaces } from '@wherry/client/resources/core'
import {
  AlreadyOwnedError,
  ApplyDelayedError,
  addFinalizer,
  type Condition,
  NotOursError,
  type Operator,
  type ReconcileContext,
  type ReconcileResult,
  removeFinalizer,
} from '@wherry/controller'
import { BundleError } from './bundle/errors.ts'
import { cut, type Problem, summaryOf } from './bundle/health.ts'
import { textOf, viewOf } from './bundle/kinds.ts'
import type { Manifest } from './bundle/manifests.ts'
import type { BundleSource, Release } from './bundle/source.ts'
import { BundleCache } from './install/bundle-cache.ts'
import { isMadeFor, type Kept, namespaceFor, unmark } from './install/owned-namespace.ts'
import { prune } from './install/prune.ts'
import { health, type Observed, ownerLabel, served, WatchedKinds } from './install/watched-kinds.ts'
import { type Made, type PlatformOperator, platformOperators } from './platform-operator.ts'

const finalizer = 'bundles.example.com/prune'
const mostProblems = 50

export interface BundlesOptions {
  readonly source: BundleSource
  /** How often the catalog is asked for a newer release, in milliseconds. @default 60_000 */
  readonly pollMs?: number | undefined
}

type Context = ReconcileContext<PlatformOperator, 'cluster'>

/**
 * Installs the newest bundle of a package for each PlatformOperator: unpacked in this process, as plain manifests, by server-side apply.
 * What is changed by hand is repaired. What a newer bundle has no more, and all when the PlatformOperator goes, is deleted.
 */
export function declarePlatformOperators(operator: Operator, { source, pollMs = 60_000 }: BundlesOptions): void {
  const bundles = new BundleCache(source)
  const watched = new WatchedKinds()
  const installer = new Installer(source, bundles, watched, pollMs)
  operator
    .controller('platformoperator')
    .for(platformOperators)
    .from(watched.source, ({ object }) => (object?.owner === undefined ? [] : [{ name: object.owner }]))
    .reconcile(context => installer.reconcile(context))
    .onGone(({ key }) => watched.need(key.name, []))
}

class Installer {
  readonly #source: BundleSource
  readonly #bundles: BundleCache
  readonly #watched: WatchedKinds
  readonly #pollMs: number

  constructor(source: BundleSource, bundles: BundleCache, watched: WatchedKinds, pollMs: number) {
    this.#source = source
    this.#bundles = bundles
    this.#watched = watched
    this.#pollMs = pollMs
  }

  async reconcile(context: Context): Promise<ReconcileResult | undefined> {
    const { object, key, client, signal } = context
    const made = object.status?.made ?? []
    if (object.metadata.deletionTimestamp !== undefined) {
      const kept = await prune(client, object.metadata.uid, made, signal)
      if (kept.length > 0) {
        const { conditions = [], ...rest } = object.status ?? {}
        await context.status({ ...rest, conditions: withCondition(conditions, this.#told(context, kept)) })
        for (const one of kept) await unmark(client, one, signal)
      }
      await this.#watched.need(key.name, [])
      await removeFinalizer(client, platformOperators, object, finalizer)
      return undefined
    }
    const { package: name, channel = 'stable', namespace } = object.spec
    const again = { requeueAfterMs: this.#pollMs }
    const { bundle } = object.status ?? {}
    // No upgrade path leads from one package to another.
    const installed = bundle?.package === name ? bundle : undefined
    let failure: unknown
    const release = await this.#source.next({ package: name, channel }, installed, signal).catch(error => {
      failure = error
      return installed
    })
    // What is installed is kept as it should be without the catalog. That it failed is told, and tried again, afterwards.
    if (failure !== undefined && release === undefined) throw failure
    if (release === undefined) {
      await this.#refused(context, 'NotInCatalog', `the catalog has no channel ${channel} of a package ${name}`)
      return again
    }
    let manifests: readonly Manifest[]
    try {
      manifests = await this.#bundles.manifests(release, namespace, signal)
    } catch (error) {
      if (!(error instanceof BundleError)) throw error
      await this.#refused(context, error.reason, error.message)
      return again
    }
    if ((await addFinalizer(client, platformOperators, object, finalizer)) === undefined) return undefined
    await this.#install(context, release, manifests)
    if (failure !== undefined) throw failure
    return again
  }

  /** There is nothing that could be installed. What was installed before stays. */
  async #refused({ object, status, events }: Context, reason: string, message: string): Promise<void> {
    const { conditions = [], ...rest } = object.status ?? {}
    const refused = { type: 'Installed', status: 'False', reason, message: cut(message) } as const
    const known = conditions.find(({ type }) => type === 'Installed')
    await status({ ...rest, conditions: [refused, ...conditions.filter(({ type }) => type !== 'Installed')] })
    // Not with each poll: an event costs a request.
    if (known?.reason === reason && known.message === refused.message) return
    events.record({ type: 'Warning', reason, message: refused.message })
  }

  async #install(context: Context, release: Release, manifests: readonly Manifest[]): Promise<void> {
    const { object, key, client, status, signal, events } = context
    const { name, version, digest } = release
    const before = object.status?.made ?? []
    const namespace = await this.#namespace(context)
    const all = [...namespace, ...manifests]
    const made = all.map(madeOf)
    const left = before.filter(one => !made.some(other => isSame(one, other)))
    // Before anything is made: should this process end now, the next one knows of it.
    if (made.some(one => !before.some(other => isSame(one, other)))) {
      await status({ ...object.status, made: [...left, ...made] })
    }
    await this.#watched.need(key.name, [...left, ...made])
    const problems = await this.#apply(context, all)
    const isWaiting = problems.some(({ reason }) => reason === 'NotServed')
    const isInstalled = problems.length === 0
    const kept = isInstalled ? await prune(client, object.metadata.uid, left, signal) : []
    const unhealthy = isInstalled ? await this.#unhealthy(context, all) : []
    const reason = isInstalled ? 'Installed' : isWaiting ? 'WaitsForDefinitions' : 'Refused'
    const message = isInstalled ? name : summaryOf(problems)
    const installed = { type: 'Installed', status: isInstalled ? 'True' : 'False', reason, message } as const
    const sick = [...problems, ...unhealthy]
    const healthy =
      sick.length === 0
        ? { type: 'Healthy', status: 'True', reason: 'AllAvailable', message: '' }
        : { type: 'Healthy', status: 'False', reason: 'NotAvailable', message: summaryOf(sick) }
    // What was told of the last namespace that stayed is told until something else is pruned.
    const toldBefore = object.status?.conditions?.filter(({ type }) => type === 'Pruned') ?? []
    const pruned = kept.length > 0 ? [this.#told(context, kept)] : left.length > 0 ? [] : toldBefore
    await status({
      bundle: { package: object.spec.package, name, version, digest },
      made: isInstalled ? made : [...left, ...made],
      problems: sick.slice(0, mostProblems),
      conditions: [installed, healthy, ...pruned],
    })
    // Its marks are taken off once the status says why: a run that ends before says it again.
    for (const one of kept) await unmark(client, one, signal)
    const known = object.status?.problems ?? []
    for (const { object: about, reason, message } of sick) {
      if (known.some(one => one.object === about && one.reason === reason)) continue
      events.record({ type: 'Warning', reason, message: cut(`${about}: ${message}`) })
    }
  }

  /** The namespace, where it is to be made: not where somebody else has made it. */
  async #namespace({ object, read }: Context): Promise<Manifest[]> {
    const name = object.spec.namespace
    const found = await read.get(namespaces.metadata(), { name })
    const { uid } = object.metadata
    return found === undefined || isMadeFor(found.metadata, uid) ? [namespaceFor(name, uid)] : []
  }

  /** Says that namespaces stay, in a condition and in an event: nobody sees the condition for long if the PlatformOperator goes. */
  #told({ events }: Context, kept: readonly Kept[]): Condition {
    const all = kept.map(({ name, holds }) => `the namespace ${name} stays, since it holds ${holds}`)
    const message = cut(all.join('; '))
    events.record({ type: 'Warning', reason: 'NamespaceKept', message })
    return { type: 'Pruned', status: 'False', reason: 'NamespaceKept', message }
  }

  /** Applies manifests in their order. What the server refuses holds up nothing else, but definitions hold up what comes after them. */
  async #apply({ apply, key, read }: Context, manifests: readonly Manifest[]): Promise<Problem[]> {
    const problems: Problem[] = []
    const isDefinition = ({ kind }: Manifest): boolean => kind === 'CustomResourceDefinition' || kind === 'Namespace'
    for (const part of [manifests.filter(isDefinition), manifests.filter(one => !isDefinition(one))]) {
      for (const manifest of part) {
        const labels = { ...manifest.metadata.labels, [ownerLabel]: key.name }
        const desired = { ...manifest, metadata: { ...manifest.metadata, labels } }
        try {
          const shared = { owner: false, adopt: false }
          await apply(viewOf(manifest), desired, manifest.kind === 'Namespace' ? shared : {})
        } catch (thrown) {
          // What was refused thrice is sent again later. Until then it is as it was.
          const error = thrown instanceof ApplyDelayedError ? (thrown.cause ?? thrown) : thrown
          if (!isOfObject(error)) throw thrown
          problems.push({ object: idOf(manifest), reason: reasonOf(error), message: cut(error.message) })
        }
      }
      for (const manifest of part) {
        if (manifest.kind !== 'CustomResourceDefinition') continue
        const state = await read.get(served, { name: manifest.metadata.name })
        const isTold = problems.some(({ object }) => object === idOf(manifest))
        if (state?.isReady !== true && !isTold) problems.push(problemOf(manifest, 'NotServed', state))
      }
      if (problems.length > 0) return problems
    }
    return problems
  }

  async #unhealthy({ read }: Context, manifests: readonly Manifest[]): Promise<Problem[]> {
    const problems: Problem[] = []
    for (const manifest of manifests) {
      if (manifest.kind !== 'Deployment') continue
      const { name, namespace } = manifest.metadata
      const state = await read.get(health, { name, namespace } as ObjectKey<'namespaced'>)
      if (state?.isReady !== true) problems.push(problemOf(manifest, state?.reason ?? 'Pending', state))
    }
    return problems
  }
}

function withCondition(conditions: readonly Condition[], condition: Condition): Condition[] {
  return [...conditions.filter(({ type }) => type !== condition.type), condition]
}

function problemOf(manifest: Manifest, reason: string, state: Observed | undefined): Problem {
  return { object: idOf(manifest), reason, message: cut(state?.message ?? 'it is not there yet') }
}

function idOf({ kind, metadata: { name } }: Manifest): string {
  return `${kind} ${name}`
}

function madeOf(manifest: Manifest): Made {
  const { name, namespace } = manifest.metadata
  return { kind: textOf(viewOf(manifest)), name, ...(namespace !== undefined && { namespace }) }
}

function isSame(a: Made, b: Made): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name
}

/** What the server refuses of one object, or what somebody else has: it is for people to mend, and another try is of no use. */
function isOfObject(error: unknown): error is Error {
  const known = [NotOursError, AlreadyOwnedError, ApplyDelayedError]
  if (known.some(one => error instanceof one)) return true
  return (
    error instanceof ApiError &&
    error.status >= 400 &&
    error.status < 500 &&
    error.status !== 409 &&
    error.status !== 429
  )
}

function reasonOf(error: Error): string {
  if (error instanceof ApiError) return error.reason || 'Refused'
  return error instanceof ApplyDelayedError ? 'Delayed' : 'Taken'
}
