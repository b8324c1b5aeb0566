import { compareResourceVersions, type KubernetesObject, wentWith } from '@wherry/client'
import type { Version } from './source.ts'

/** Whether what is cached is older than what this process knows; `unknown`: the server has to be asked. */
export type Behind = 'no' | 'yes' | 'unknown'

/** Most uids that are remembered as deleted and were never seen to go. */
const mostGone = 100

/**
 * What this process was told of one object past its watch: what it wrote, and what it read from the server (rule N9).
 *
 * Each thing has the number of its telling. It holds until what is kept has come as far, by numbers that can be compared, or until
 * the server was asked after it was told ({@link OwnWrites.settled}). An answer to who asked before may be older.
 */
export class OwnWrites {
  #told = 0
  /** Of the last that can't be compared with what is kept; 0: there is none. */
  #unsure = 0
  /** Of the last answer that there is none: an object that is kept may be of before. 0: there was none. */
  #absent = 0
  #atLeast: string | undefined
  #atLeastTold = 0
  /** An event of `#atLeast` will come; `held`: as long as an object is held, that it was changed or is not selected any more. */
  #certain: boolean | 'held' = true
  /** By uid. */
  readonly #gone = new Map<string, number>()
  /** Of what was held when that was looked at last. */
  #heldUid: string | undefined
  /** The last that was written so that the selectors do not take it, while nothing was held. */
  #unselected: Version | undefined

  /** How often this process was told of anything. */
  get told(): number {
    return this.#told
  }

  /** What is kept can't be compared with what was told: only the server knows whether it is as new. */
  get isUnsure(): boolean {
    return this.#unsure > 0
  }

  /**
   * @param certain the watch will tell of that state; `held`: if an object is held until then
   * @param heard how far the state and its watch have come: without that version where it is an earlier one
   */
  saw(
    object: KubernetesObject,
    held: Version | undefined,
    certain: boolean | 'held',
    heard: readonly (string | undefined)[] = [],
  ): void {
    const { uid, resourceVersion } = object.metadata ?? {}
    // The answer has its last state.
    if (wentWith(object)) return this.sawGone(uid, held)
    this.#told += 1
    if (resourceVersion === undefined || resourceVersion === held?.resourceVersion) return
    // It was changed again before the answer came, or the server counts anew.
    if (heard.some(one => compareResourceVersions(resourceVersion, one) === 'older')) {
      this.#unsure = this.#told
      return
    }
    if (compareResourceVersions(resourceVersion, this.#atLeast) === 'older') return
    this.#atLeast = resourceVersion
    this.#atLeastTold = this.#told
    this.#certain = certain
  }

  /** @param uid `undefined`: whatever it was */
  sawGone(uid: string | undefined, held: Version | undefined): void {
    this.#told += 1
    if (uid !== undefined) {
      this.#gone.delete(uid)
      this.#gone.set(uid, this.#told)
      const [oldest] = this.#gone.keys()
      if (this.#gone.size > mostGone && oldest !== undefined) this.#gone.delete(oldest)
    }
    // What is held may be an earlier one, or a later one.
    const isKnown = uid !== undefined && (held?.uid === undefined || this.#gone.has(held.uid))
    if (!isKnown) this.#unsure = this.#told
  }

  /** There was nothing, and the selectors do not take this: what it was before is not to be told any more. */
  sawUnselected(version: Version): void {
    this.#told += 1
    this.#unselected = version
  }

  /** The server has answered that there is none, and not when. */
  sawAbsent(): void {
    this.#told += 1
    this.#absent = this.#told
  }

  /** The server has given an answer that can't be compared with what is kept. */
  sawUnsure(): void {
    this.#told += 1
    this.#unsure = this.#told
  }

  /**
   * An answer of the server's is heeded that was asked for when so much had been told.
   * @param uid of the object that it has
   */
  settled(told: number, uid: string | undefined): void {
    if (this.#unsure <= told) this.#unsure = 0
    if (this.#absent <= told) this.#absent = 0
    if (this.#atLeastTold <= told) this.#atLeast = undefined
    if (uid !== undefined && (this.#gone.get(uid) ?? Number.POSITIVE_INFINITY) <= told) this.#gone.delete(uid)
  }

  /**
   * The server counts anew. No number and no uid of before says anything of what it has now, and of what was told it is not known
   * whether it is of before, until an answer settles that.
   */
  wentBack(): void {
    this.#unsure = this.#told
    this.#absent = 0
    this.#atLeast = undefined
    this.#gone.clear()
    this.#unselected = undefined
  }

  /** Whether an object is not what it was, or is gone, as was seen before the watch told of it. */
  isPast({ uid, resourceVersion }: Version): boolean {
    if (uid === undefined) return false
    if (this.#gone.has(uid)) return true
    const later = this.#unselected
    return later?.uid === uid && compareResourceVersions(resourceVersion, later.resourceVersion) === 'older'
  }

  /** Whether what is held may be of before something that was told to be gone, or that can't be compared. */
  outlived(held: Version | undefined): Behind {
    const uid = held?.uid
    // What was seen to go does not come back.
    if (uid !== this.#heldUid && this.#heldUid !== undefined) this.#gone.delete(this.#heldUid)
    this.#heldUid = uid
    if (this.#unsure > 0) return 'unknown'
    if (uid !== undefined && this.#gone.has(uid)) return 'yes'
    return held !== undefined && this.#absent > 0 ? 'unknown' : 'no'
  }

  /** @param reached how new the state is @param source how far the watch has come */
  behind(held: Version | undefined, reached: string | undefined, source: string | undefined): Behind {
    const outlived = this.outlived(held)
    const atLeast = this.#atLeast
    if (outlived !== 'no' || atLeast === undefined) return outlived
    const orders = [reached, source].map(one => compareResourceVersions(one, atLeast))
    if (held?.resourceVersion === atLeast || orders.some(order => order === 'newer' || order === 'same')) {
      this.#atLeast = undefined
      return 'no'
    }
    const isCertain = this.#certain === 'held' ? held !== undefined : this.#certain
    return isCertain && orders.includes('older') ? 'yes' : 'unknown'
  }
}
