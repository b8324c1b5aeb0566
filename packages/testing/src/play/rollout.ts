import { type Json, type JsonObject, objectAt, stringAt } from '@wherry/cel/internal'
import { identity, numberAt } from './played-kind.ts'

/** The progress of a Deployment from its old ReplicaSets to the ReplicaSet of its template. */
export interface Rollout {
  /** The name of the new ReplicaSet. */
  readonly name: string
  readonly all: readonly JsonObject[]
  /** The new ReplicaSet; `undefined` before its creation. */
  readonly current: JsonObject | undefined
  readonly old: readonly JsonObject[]
  readonly replicas: number
  readonly isRolling: boolean
  readonly maxSurge: number
  readonly maxUnavailable: number
}

export function rolloutOf(deployment: JsonObject, all: readonly JsonObject[], name: string): Rollout {
  const spec = objectAt(deployment, 'spec')
  const strategy = objectAt(spec, 'strategy')
  const isRolling = stringAt(strategy, 'type') !== 'Recreate'
  const rolling = objectAt(strategy, 'rollingUpdate')
  const replicas = numberAt(spec, 'replicas', 1)
  const maxSurge = isRolling ? resolved(rolling?.maxSurge, replicas, Math.ceil) : 0
  const asked = isRolling ? Math.min(replicas, resolved(rolling?.maxUnavailable, replicas, Math.floor)) : 0
  const current = all.find(one => identity(one).name === name)
  return {
    ...{ name, all, current, replicas, isRolling, maxSurge },
    old: all.filter(one => one !== current),
    // With both limits at 0, a rollout could never begin.
    maxUnavailable: isRolling && maxSurge === 0 && asked === 0 ? Math.min(1, replicas) : asked,
  }
}

function resolved(value: Json | undefined, replicas: number, round: (exact: number) => number): number {
  if (typeof value === 'number') return value
  return round((replicas * Number.parseInt(typeof value === 'string' ? value : '25%', 10)) / 100)
}

/** How many Pods of these ReplicaSets are available. */
export function availableOf(sets: readonly JsonObject[]): number {
  return sets.reduce((sum, set) => sum + numberAt(objectAt(set, 'status'), 'availableReplicas', 0), 0)
}

const sizeOf = (set: JsonObject): number => numberAt(objectAt(set, 'spec'), 'replicas', 1)

/** The next number of replicas of each ReplicaSet that may have to change. */
export function wantedReplicas(
  rollout: Rollout,
  { isPaused, hasOldPods }: { readonly isPaused: boolean; hasOldPods(): boolean },
): readonly (readonly [set: JsonObject, replicas: number])[] {
  const { all, current, old, replicas, isRolling, maxSurge } = rollout
  const active = all.filter(set => sizeOf(set) > 0)
  if (isPaused) return active.length === 1 ? active.map(set => [set, replicas]) : []
  if (current === undefined) return []
  if (!isRolling) {
    const drained = old.map(set => [set, 0] as const)
    return hasOldPods() || old.some(set => sizeOf(set) > 0) ? drained : [[current, replicas]]
  }
  const total = all.reduce((sum, set) => sum + sizeOf(set), 0)
  const size = sizeOf(current)
  // First a step up, then a step down, within the limits of the current numbers.
  const grown = size >= replicas ? replicas : size + Math.max(0, Math.min(replicas - size, replicas + maxSurge - total))
  return [[current, grown], ...drainedSets(rollout, total - size + grown, grown)]
}

/** The sizes of the old ReplicaSets after a step down, which removes Pods that are not available first, then as many others as may be unavailable. */
function drainedSets(
  { all, current, old, replicas, maxUnavailable }: Rollout,
  total: number,
  size: number,
): readonly (readonly [JsonObject, number])[] {
  const least = replicas - maxUnavailable
  const newlyUnavailable = size - numberAt(objectAt(current, 'status'), 'availableReplicas', 0)
  let removable = Math.max(0, total - least - Math.max(0, newlyUnavailable))
  const sizes = new Map(old.map(set => [set, sizeOf(set)]))
  const take = (set: JsonObject, count: number): number => {
    const left = sizes.get(set) ?? 0
    const taken = Math.max(0, Math.min(left, count))
    sizes.set(set, left - taken)
    return taken
  }
  for (const set of old) removable -= take(set, Math.min(removable, sizeOf(set) - availableOf([set])))
  let spare = Math.min(removable, availableOf(all) - least)
  for (const set of old) spare -= take(set, spare)
  return [...sizes]
}
