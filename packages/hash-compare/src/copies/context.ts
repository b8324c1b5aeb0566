import type { KubernetesObject, ObjectKey } from '@wherry/client'
import type { ApplyIfChangedOptions } from '../apply/applied.ts'
import type { Claims } from './claims.ts'
import type { Damper } from './damper.ts'
import type { Meter } from './meter.ts'
import type { CopyReconcilerOptions } from './options.ts'
import type { OwnWrites } from './own-writes.ts'
import type { WantedCopy } from './source.ts'
import type { Teller } from './teller.ts'

/** What all have in common who do a reconciler's work. */
export interface CopyContext<P, T extends KubernetesObject> {
  readonly options: CopyReconcilerOptions<P, T>
  readonly signal: AbortSignal
  readonly meter: Meter
  readonly damper: Damper
  readonly teller: Teller
  readonly ownWrites: OwnWrites
  /** With the mode `annotations`. */
  readonly claims: Claims<T> | undefined
  /** How new the cache of copies is. */
  readonly synced: () => string | undefined
  /** Whether all that was there at first has been looked at. */
  readonly isWarm: () => boolean
}

/** How writes are made. */
export function applying<P, T extends KubernetesObject>({
  options,
  signal,
}: CopyContext<P, T>): ApplyIfChangedOptions & { readonly fieldManager: string } {
  const { name, write = 'update', force, fieldManager = name, fieldValidation, timeoutMs } = options
  const forced = write === 'apply' ? (force ?? true) : undefined
  return { signal, timeoutMs, fieldManager, fieldValidation, mode: write, force: forced }
}

/** Reads a copy, whole; `undefined`: there is none. */
export function readCopy<P, T extends KubernetesObject>(
  { options, signal }: CopyContext<P, T>,
  at: { readonly namespace: string; readonly name: string },
): Promise<T | undefined> {
  return options.client.get(options.copies, at as ObjectKey<'namespaced'>, { signal, timeoutMs: options.timeoutMs })
}

/** A copy's key as text. */
export function keyOf<T>({ at: { namespace, name } }: WantedCopy<T>): string {
  return `${namespace}/${name}`
}

export function nowIn<P, T extends KubernetesObject>({ options }: CopyContext<P, T>): number {
  return options.client.environment.clock.monotonic()
}
