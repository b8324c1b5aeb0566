import { compareResourceVersions, type KubernetesObject } from '@wherry/client'
import { wentWith } from '@wherry/informer/parts'
import type { Version } from './source.ts'

/** Whether what is cached is older than what this process knows; `unknown`: the server has to be asked. */
export type Behind = 'no' | 'yes' | 'unknown'

/** Most uids that are remembered as deleted and were never seen to go. */
const mostGone = 100

/** What this process knows of one object past its watch: what it wrote, and what it read from the server (rule N9). */
export class OwnWrites {
  #atLeast: string | undefined
  /** An event of `#atLeast` will come; `held`: as long as an object is held, that it was changed or is not selected any more. */
  #certain: boolean | 'held' = true
  readonly #gone = new Set<string>()
  /** Of what was held when that was looked at last. */
  #heldUid: string | undefined
  /** The uid that was held when another one was deleted: it may be an earlier or a later one. */
  #doubtful: string | undefined
  /** The last that was written so that the selectors do not take it, while nothing was held. */
  #unselected: Version | undefined

  /** @param certain the watch will tell of that state; `held`: if an object is held until then. */
  saw(object: KubernetesObject, held: Version | undefined, certain: boolean | 'held'): void {
    const { uid, resourceVersion } = object.metadata ?? {}
    // The answer has its last state.
    if (wentWith(object)) return this.sawGone(uid, held)
    if (resourceVersion === undefined || resourceVersion === held?.resourceVersion) return
    if (compareResourceVersions(resourceVersion, this.#atLeast) === 'older') return
    this.#atLeast = resourceVersion
    this.#certain = certain
  }

  sawGone(uid: string | undefined, held: Version | undefined): void {
    const gone = uid ?? held?.uid
    if (gone === undefined) return
    this.#gone.add(gone)
    const [oldest] = this.#gone
    if (this.#gone.size > mostGone && oldest !== undefined) this.#gone.delete(oldest)
    if (held !== undefined && held.uid !== gone) this.#doubtful = held.uid
  }

  /** There was nothing, and the selectors do not take this: what it was before is not to be told any more. */
  sawUnselected(version: Version): void {
    this.#unselected = version
  }

  /** Whether an object is not what it was, or is gone, as was seen before the watch told of it. */
  isPast({ uid, resourceVersion }: Version): boolean {
    if (uid === undefined) return false
    if (this.#gone.has(uid)) return true
    const later = this.#unselected
    return later?.uid === uid && compareResourceVersions(resourceVersion, later.resourceVersion) === 'older'
  }

  /** The server has this one now. */
  confirmed(uid: string | undefined): void {
    if (uid === this.#doubtful) this.#doubtful = undefined
  }

  /** The server has this one, as it was asked after the last that is known to have gone. */
  isThere(uid: string | undefined): void {
    this.confirmed(uid)
    if (uid !== undefined) this.#gone.delete(uid)
  }

  /** @param reached how new the state is @param source how far the watch has come */
  behind(held: Version | undefined, reached: string | undefined, source: string | undefined): Behind {
    const uid = held?.uid
    // What was seen to go does not come back.
    if (uid !== this.#heldUid && this.#heldUid !== undefined) this.#gone.delete(this.#heldUid)
    this.#heldUid = uid
    if (uid !== undefined) {
      if (this.#gone.has(uid)) return 'yes'
      if (uid === this.#doubtful) return 'unknown'
    }
    const atLeast = this.#atLeast
    if (atLeast === undefined) return 'no'
    const orders = [reached, source].map(one => compareResourceVersions(one, atLeast))
    if (held?.resourceVersion === atLeast || orders.some(order => order === 'newer' || order === 'same')) {
      this.#atLeast = undefined
      return 'no'
    }
    const isCertain = this.#certain === 'held' ? held !== undefined : this.#certain
    return isCertain && orders.includes('older') ? 'yes' : 'unknown'
  }
}
