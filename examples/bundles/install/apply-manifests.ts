import { ConnectionError, isApiError, type ObjectKey } from '@wherry/client'
import {
  AlreadyOwnedError,
  ApplyDelayedError,
  NotOursError,
  type ReconcileContext,
  refusalOf,
} from '@wherry/controller'
import { cut, type Problem } from '../bundle/health.ts'
import { servedViewOf, textOf } from '../bundle/kinds.ts'
import type { Manifest } from '../bundle/manifests.ts'
import type { Made, PlatformOperator } from '../platform-operator.ts'
import { isMadeForAnother, isMarkedKind, markedFor } from './made-for.ts'
import { missingRight } from './missing-right.ts'
import { health, type Observed, ownerLabel, served } from './watched-kinds.ts'

type Context = Pick<
  ReconcileContext<PlatformOperator, 'cluster'>,
  'apply' | 'client' | 'key' | 'object' | 'read' | 'signal'
>

/** Applies manifests in their order. What the server refuses holds up nothing else, but definitions hold up what comes after them. */
export async function applyManifests(context: Context, manifests: readonly Manifest[]): Promise<Problem[]> {
  const { read } = context
  const problems: Problem[] = []
  const isDefinition = ({ kind }: Manifest): boolean => kind === 'CustomResourceDefinition' || kind === 'Namespace'
  for (const part of [manifests.filter(isDefinition), manifests.filter(one => !isDefinition(one))]) {
    for (const manifest of part) {
      try {
        await applyOne(context, manifest)
      } catch (error) {
        if (!(error instanceof Error) || passes(error, context.signal)) throw error
        const refusal = refusalOf(error) ?? error
        const message = missingRight(refusal) ?? refusal.message
        problems.push({ object: idOf(madeOf(manifest)), reason: reasonOf(error), message: cut(message) })
      }
    }
    for (const manifest of part) {
      if (manifest.kind !== 'CustomResourceDefinition') continue
      const state = await read.get(served, { name: manifest.metadata.name })
      const isReported = problems.some(({ object }) => object === idOf(madeOf(manifest)))
      if (state?.isReady !== true && !isReported) problems.push(problemOf(madeOf(manifest), 'NotServed', state))
    }
    if (problems.length > 0) return problems
  }
  return problems
}

async function applyOne(
  { apply, client, key, object: owner, read, signal }: Context,
  manifest: Manifest,
): Promise<void> {
  const { uid } = owner.metadata
  const view = await servedViewOf(client, manifest, signal)
  if (view === undefined) throw new UnsupportedKindError(manifest)
  const { namespace, ...metadata } = manifest.metadata
  const labels = { ...metadata.labels, [ownerLabel]: key.name }
  const placed = { ...metadata, labels, ...(view.resource.namespaced && { namespace }) }
  const desired = markedFor({ ...manifest, metadata: placed } as Manifest, uid)
  if (!isMarkedKind(manifest.kind)) return void (await apply(view, desired))
  const found = await read.get(view.metadata(), { name: metadata.name } as ObjectKey)
  if (isMadeForAnother(found?.metadata, uid)) throw new TakenError(found?.metadata.labels?.[ownerLabel])
  await apply(view, desired, { owner: false, adopt: false })
}

/** The server does not serve its kind. */
class UnsupportedKindError extends Error {
  override readonly name = 'UnsupportedKindError'

  constructor({ apiVersion, kind }: Manifest) {
    super(`the server has no ${kind} of ${apiVersion}: install what defines it`)
  }
}

/** It was made for another PlatformOperator. */
class TakenError extends Error {
  override readonly name = 'TakenError'

  constructor(by: string | undefined) {
    super(`it was made for the PlatformOperator ${by ?? 'of another name'}, which has it still`)
  }
}

/** The Deployments that are not available. */
export async function unhealthy({ read }: Pick<Context, 'read'>, made: readonly Made[]): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const one of made) {
    if (one.kind !== textOf(health)) continue
    const { name, namespace } = one
    const state = await read.get(health, { name, namespace } as ObjectKey<'namespaced'>)
    if (state?.isReady !== true) problems.push(problemOf(one, state?.reason ?? 'Pending', state))
  }
  return problems
}

/** How the status names the object of a manifest. */
export function madeOf(manifest: Manifest): Made {
  const { name, namespace } = manifest.metadata
  return { kind: `${manifest.apiVersion} ${manifest.kind}`, name, ...(namespace !== undefined && { namespace }) }
}

export function isSame(a: Made, b: Made): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name
}

function problemOf(made: Made, reason: string, state: Observed | undefined): Problem {
  return { object: idOf(made), reason, message: cut(state?.message ?? 'it is not there yet') }
}

/** `Deployment game-operator` */
function idOf({ kind, name }: Made): string {
  return `${kind.split(' ')[1]} ${name}`
}

/** Whether an error passes by itself: the run ends, and another one may help. Any other error becomes a problem of its object, also if nobody foresaw it. */
export function passes(error: Error, signal: AbortSignal): boolean {
  if (signal.aborted || error instanceof ConnectionError) return true
  return isApiError(error) && refusalOf(error) === undefined
}

function reasonOf(error: Error): string {
  const refusal = refusalOf(error)
  if (isApiError(refusal)) return refusal.reason || 'Refused'
  if (error instanceof UnsupportedKindError) return 'UnsupportedKind'
  if (error instanceof ApplyDelayedError) return 'Delayed'
  const isTaken = [NotOursError, AlreadyOwnedError, TakenError].some(one => error instanceof one)
  return isTaken ? 'Taken' : 'Failed'
}
