import { namespaces } from '@wherry/client/resources/core'
import {
  addFinalizer,
  Channel,
  generationChanged,
  type ObjectEvent,
  type Operator,
  or,
  type ReconcileContext,
  type ReconcileResult,
  removeFinalizer,
} from '@wherry/controller'
import { cut, type Problem } from './bundle/health.ts'
import type { Manifest } from './bundle/manifests.ts'
import type { BundleSource } from './bundle/source.ts'
import { applyManifests, isSame, madeOf, passes, unhealthy } from './install/apply-manifests.ts'
import { BundleCache } from './install/bundle-cache.ts'
import { healthyOf, installedOf, replaced, upToDateOf } from './install/conditions.ts'
import { isMadeFor, type Kept, namespaceOf, unmark } from './install/made-for.ts'
import { missingRight } from './install/missing-right.ts'
import { prune } from './install/prune.ts'
import { type Answer, Releases, type Unpacked } from './install/releases.ts'
import { WatchedKinds } from './install/watched-kinds.ts'
import { type Made, type PlatformCondition, type PlatformOperator, platformOperators } from './platform-operator.ts'

const finalizer = 'bundles.example.com/prune'
const mostProblems = 50
/** So many PlatformOperators wait for the catalog at the same time. */
const mostAsking = 16

export interface BundlesOptions {
  readonly source: BundleSource
  /** How often the catalog is asked for a newer release, in milliseconds. @default 60_000 */
  readonly pollMs?: number | undefined
}

type Context = ReconcileContext<PlatformOperator, 'cluster'>

/**
 * Installs the newest bundle of a package for each PlatformOperator: unpacked in this process, as plain manifests, by server-side apply.
 * Changes by hand are repaired. Objects that a newer bundle has no more are deleted, and all when the PlatformOperator goes.
 *
 * One controller asks the catalog, and another one installs. So a catalog that does not answer holds up no repair.
 */
export function declarePlatformOperators(operator: Operator, { source, pollMs = 60_000 }: BundlesOptions): void {
  const releases = new Releases(source, new BundleCache(source))
  const watched = new WatchedKinds()
  const installer = new Installer(releases, watched, pollMs)
  const answers = new Channel<{ name: string }>('answers')
  const report = (name: string): void => {
    // Before the other controller has started, and after it has stopped, nobody waits for it.
    if (answers.connections > 0) answers.send({ name })
  }
  operator
    .controller('catalog', { concurrency: mostAsking })
    .for(platformOperators)
    .withPredicates(or(generationChanged, isOtherBundle))
    .reconcile(async ({ object, key, signal }): Promise<ReconcileResult | undefined> => {
      if (object.metadata.deletionTimestamp !== undefined) return undefined
      // If this fails, the question below most often does, too, and the status says why.
      const isFetched = await releases.fetchInstalled(object, signal).catch(() => false)
      signal.throwIfAborted()
      if (isFetched) report(key.name)
      const isNews = await releases.ask(object, signal)
      if (isNews) report(key.name)
      return { requeueAfterMs: pollMs }
    })
    .onGone(({ key }) => releases.forget(key.name))
  operator
    .controller('platformoperator')
    .for(platformOperators)
    .from(watched.source, ({ object }) => (object?.owner === undefined ? [] : [{ name: object.owner }]))
    .from(answers)
    .reconcile(context => installer.reconcile(context))
    .onGone(({ key }) => watched.need(key.name, []))
}

/** The next step of the upgrade path is asked for at once, and not with the next poll. */
function isOtherBundle(event: ObjectEvent<PlatformOperator>): boolean {
  const bundleOf = ({ status }: PlatformOperator): string => JSON.stringify(status?.bundle)
  return event.type !== 'update' || bundleOf(event.object) !== bundleOf(event.old)
}

class Installer {
  readonly #releases: Releases
  readonly #watched: WatchedKinds
  readonly #retryMs: number

  constructor(releases: Releases, watched: WatchedKinds, retryMs: number) {
    this.#releases = releases
    this.#watched = watched
    this.#retryMs = retryMs
  }

  async reconcile(context: Context): Promise<ReconcileResult | undefined> {
    const { object, key, client, signal } = context
    const made = object.status?.made ?? []
    if (object.metadata.deletionTimestamp !== undefined) {
      const kept = await this.#pruned(context, made, made)
      if (kept.length > 0) {
        const { conditions = [], ...rest } = object.status ?? {}
        await context.status({ ...rest, conditions: replaced(conditions, [this.#reported(context, kept)]) })
        for (const one of kept) await unmark(client, one, signal)
      }
      await this.#watched.need(key.name, [])
      await removeFinalizer(client, platformOperators, object, finalizer)
      return undefined
    }
    let isWell = true
    const answer = this.#releases.answer(object)
    const target = answer && 'offer' in answer ? answer.offer : this.#releases.installed(object)
    if (target === undefined) {
      await this.#observe(context, answer)
    } else {
      await addFinalizer(client, platformOperators, object, finalizer)
      isWell = await this.#install(context, target, answer)
    }
    this.#reportObstacle(context, answer)
    // No event says when a kind is served, or a right is given.
    return isWell ? undefined : { requeueAfterMs: this.#retryMs }
  }

  /** There is nothing that could be applied. What was installed before stays, and its health is reported. */
  async #observe(context: Context, answer: Answer | undefined): Promise<void> {
    const { object, key, status } = context
    const { conditions = [], bundle, made = [], ...rest } = object.status ?? {}
    if (bundle === undefined) {
      const obstacle = answer && 'obstacle' in answer ? answer.obstacle : undefined
      if (obstacle === undefined) return
      const installed = { ...obstacle, type: 'Installed', status: 'False' } as const
      await status({ ...rest, made, conditions: replaced(conditions, [installed, ...upToDateOf(answer)]) })
      return
    }
    await this.#watched.need(key.name, made)
    const sick = await unhealthy(context, made)
    const now = replaced(conditions, [healthyOf(sick), ...upToDateOf(answer)])
    await status({ bundle, made, problems: sick.slice(0, mostProblems), conditions: now })
  }

  /** Returns whether all of it is applied. */
  async #install(context: Context, target: Unpacked, answer: Answer | undefined): Promise<boolean> {
    const { object, key, client, status, signal, events } = context
    const before = object.status?.made ?? []
    const namespace = await this.#namespace(context)
    const all = [...namespace, ...target.manifests]
    const made = all.map(madeOf)
    const left = before.filter(one => !made.some(other => isSame(one, other)))
    // Before anything is made: should this process end now, the next one knows of it.
    if (made.some(one => !before.some(other => isSame(one, other)))) {
      await status({ ...object.status, made: [...left, ...made] })
    }
    await this.#watched.need(key.name, [...left, ...made])
    const problems = await applyManifests(context, all)
    const isInstalled = problems.length === 0
    const kept = isInstalled ? await this.#pruned(context, left, [...left, ...made]) : []
    const sick = [...problems, ...(isInstalled ? await unhealthy(context, made) : [])]
    // The last report of what stayed is repeated until something else is pruned.
    const { conditions = [] } = object.status ?? {}
    const isPruned = isInstalled && left.length > 0
    const staying = isPruned ? conditions.filter(({ type }) => type !== 'Pruned') : conditions
    const reported = kept.length > 0 ? [this.#reported(context, kept)] : []
    const news = [installedOf(target.release, problems), healthyOf(sick), ...upToDateOf(answer), ...reported]
    await status({
      bundle: { package: target.package, ...target.release },
      made: isInstalled ? made : [...left, ...made],
      problems: sick.slice(0, mostProblems),
      conditions: replaced(staying, news),
    })
    // Its marks are taken off once the status says why: a run that ends before says it again.
    for (const one of kept) await unmark(client, one, signal)
    const known: readonly Problem[] = object.status?.problems ?? []
    for (const { object: about, reason, message } of sick) {
      if (known.some(one => one.object === about && one.reason === reason)) continue
      events.record({ type: 'Warning', reason, message: cut(`${about}: ${message}`) })
    }
    return isInstalled
  }

  /** Prunes `left`. If that fails, a condition says so: nobody waits in silence for what the server refuses to delete. */
  async #pruned(
    { object, client, status, signal }: Context,
    left: readonly Made[],
    made: readonly Made[],
  ): Promise<readonly Kept[]> {
    try {
      return await prune(client, object.metadata.uid, left, signal)
    } catch (error) {
      if (error instanceof Error && !passes(error, signal)) {
        const { conditions = [] } = object.status ?? {}
        const message = cut(missingRight(error) ?? error.message)
        const failed = { type: 'Pruned', status: 'False', reason: 'Failed', message } as const
        await status({ ...object.status, made: [...made], conditions: replaced(conditions, [failed]) })
      }
      throw error
    }
  }

  /** The namespace, where it is to be made: not where somebody else has made it. */
  async #namespace({ object, read }: Context): Promise<Manifest[]> {
    const name = object.spec.namespace
    const found = await read.get(namespaces.metadata(), { name })
    const { uid } = object.metadata
    return found === undefined || isMadeFor(found.metadata, uid) ? [namespaceOf(name)] : []
  }

  /** Says why nothing, or nothing newer, is installed. Not with each poll: an event costs a request. */
  #reportObstacle({ object, events }: Context, answer: Answer | undefined): void {
    if (answer === undefined || !('obstacle' in answer)) return
    const { reason, message } = answer.obstacle
    const known = object.status?.conditions?.find(({ type }) => type === 'UpToDate')
    if (known?.reason !== reason || known.message !== message) events.record({ type: 'Warning', reason, message })
  }

  /** Says that namespaces and definitions stay, in a condition and in an event: nobody sees the condition for long if the PlatformOperator goes. */
  #reported({ events }: Context, kept: readonly Kept[]): PlatformCondition {
    const all = kept.map(({ kind, name, holds }) =>
      kind === 'Namespace'
        ? `the namespace ${name} stays, since it holds ${holds}`
        : `the definition ${name} stays, since there is ${holds}`,
    )
    const message = cut(all.join('; '))
    const reason = kept.some(({ kind }) => kind === 'Namespace') ? 'NamespaceKept' : 'DefinitionKept'
    events.record({ type: 'Warning', reason, message })
    return { type: 'Pruned', status: 'False', reason, message }
  }
}
