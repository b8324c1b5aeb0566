import { type JsonObject, objectAt, objectsAt, stringAt } from '@wherry/cel/internal'
import { identity, isDeleted, numberAt } from './played-kind.ts'

/** The fate of a Pod of a Job. `dropped`: the Job itself deleted the Pod. */
type Fate = 'active' | 'succeeded' | 'failed' | 'dropped'

/** The fates of the Pods of a Job, including deleted Pods. */
export class JobTally {
  readonly #fates = new Map<string, { fate: Fate; index: number }>()
  readonly #least: { readonly succeeded: number; readonly failed: number }
  #active: readonly JsonObject[] = []

  /** @param status the status of the Job, with the counts before this player */
  constructor(status: JsonObject | undefined) {
    this.#least = { succeeded: numberAt(status, 'succeeded', 0), failed: numberAt(status, 'failed', 0) }
  }

  /** The Pods that run, or are to run. */
  get active(): readonly JsonObject[] {
    return this.#active
  }

  get succeeded(): number {
    return Math.max(this.#least.succeeded, this.#with('succeeded'))
  }

  get failed(): number {
    return Math.max(this.#least.failed, this.#with('failed'))
  }

  /** The number of restarts of containers of active Pods. */
  get restarts(): number {
    const statuses = this.#active.flatMap(pod => objectsAt(objectAt(pod, 'status'), 'containerStatuses'))
    return statuses.reduce((sum, one) => sum + numberAt(one, 'restartCount', 0), 0)
  }

  /** The number of `completions` that are done. */
  done(isIndexed: boolean): number {
    return isIndexed ? this.completedIndexes().length : this.succeeded
  }

  completedIndexes(): readonly number[] {
    const done = [...this.#fates.values()].filter(({ fate }) => fate === 'succeeded').map(({ index }) => index)
    return [...new Set(done)].sort((a, b) => a - b)
  }

  /** The first indexes that have neither a running nor a succeeded Pod. */
  freeIndexes(count: number): readonly number[] {
    const taken = [...this.#fates.values()].filter(({ fate }) => fate === 'active' || fate === 'succeeded')
    const indexes = new Set(taken.map(({ index }) => index))
    const free: number[] = []
    for (let index = 0; free.length < count; index++) if (!indexes.has(index)) free.push(index)
    return free
  }

  drop(pod: JsonObject): void {
    const known = this.#fates.get(identity(pod).uid)
    if (known !== undefined) known.fate = 'dropped'
    this.#active = this.#active.filter(one => one !== pod)
  }

  /** Counts the Pods that exist. */
  count(pods: readonly JsonObject[]): void {
    const active: JsonObject[] = []
    const present = new Set(pods.map(pod => identity(pod).uid))
    for (const pod of pods) {
      const { uid } = identity(pod)
      const known = this.#fates.get(uid)
      if (known !== undefined && known.fate !== 'active') continue
      const fate = fateOf(pod)
      if (fate === 'active') active.push(pod)
      this.#fates.set(uid, { fate, index: known?.index ?? indexOf(pod) })
    }
    // A Pod that was deleted while it ran has failed.
    for (const [uid, known] of this.#fates) if (known.fate === 'active' && !present.has(uid)) known.fate = 'failed'
    this.#active = active
  }

  #with(fate: Fate): number {
    return [...this.#fates.values()].filter(one => one.fate === fate).length
  }
}

function fateOf(pod: JsonObject): Fate {
  const phase = stringAt(objectAt(pod, 'status'), 'phase')
  if (phase === 'Succeeded') return 'succeeded'
  return phase === 'Failed' || isDeleted(pod) ? 'failed' : 'active'
}

function indexOf(pod: JsonObject): number {
  return Number(
    stringAt(objectAt(objectAt(pod, 'metadata'), 'annotations'), 'batch.kubernetes.io/job-completion-index') ?? -1,
  )
}

/** Sorted numbers as ranges: `0-2,4`. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const number of numbers) {
    const range = ranges.at(-1)
    if (range !== undefined && range[1] === number - 1) range[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}
