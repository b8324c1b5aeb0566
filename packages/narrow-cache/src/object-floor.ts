import { compareResourceVersions, type KubernetesObject, type View, wentWith } from '@wherry/client'
import type { Register, Version } from './register.ts'

/** One form of the object (its metadata, or all of it) that is kept. */
export interface Form extends Pick<Register, 'held' | 'reached' | 'wasKnown' | 'confirm'> {
  /** The number of the last note that an answer of the server's settled, by having been asked for after it. */
  answered: number
  /** How far the source of this form has come, all of which was told; `undefined`: not known. */
  readonly heard: string | undefined
}

/** Most uids that are remembered as deleted. */
const mostGone = 100

/**
 * What this process knows of one object past its watches, by its own writes and reads (rule N9): a least resourceVersion, uids that
 * are gone, and what only the server can settle. Each note has a number.
 */
export class ObjectFloor<F extends Form = Form> {
  /** One for each form that is kept. */
  forms: readonly F[] = []
  /** The number of the last note. */
  notes = 0
  /** The last note that can't be compared with what is kept. */
  #unsure = 0
  #atLeast: string | undefined
  /** A watch will tell of `#atLeast`; `held`: to those who hold an object. */
  #isCertain: boolean | 'held' = true
  #gone: Set<string> | undefined

  /** That object was seen to go before its watch told of it. */
  isGone({ uid }: Version): boolean {
    return uid !== undefined && this.#gone?.has(uid) === true
  }

  /** This process wrote the object, or read it past the cache. `view`: what the forms select. */
  wrote(object: KubernetesObject, view: View): void {
    const { uid, name, namespace, labels, resourceVersion } = object.metadata ?? {}
    if (wentWith(object)) return this.deleted(uid)
    this.notes += 1
    if (resourceVersion === undefined) return
    const own: Partial<Record<string, string | undefined>> = { 'metadata.name': name, 'metadata.namespace': namespace }
    const { requirements } = view.fields
    const isSelected =
      view.labels.matches(labels) &&
      requirements.every(
        ({ field, operator, value }) => own[field] === undefined || (operator === '=') === (own[field] === value),
      )
    const isCertain = isSelected && requirements.every(({ field }) => field.startsWith('metadata.'))
    let isMet = true
    for (const form of this.forms) {
      if (form.held?.resourceVersion === resourceVersion) continue
      // The write proves the absence of what is selected.
      if (!isSelected && form.held === undefined && form.wasKnown) form.confirm(resourceVersion)
      else isMet = false
      // It was changed again before the answer came, or the server counts anew.
      const isPast = [form.reached, form.heard].some(one => compareResourceVersions(resourceVersion, one) === 'older')
      if (isPast) this.#unsure = this.notes
    }
    if (!isMet) this.#raise(resourceVersion, isCertain || 'held')
  }

  /** The object is gone: that uid, or whatever it was. */
  deleted(uid: string | undefined): void {
    this.notes += 1
    if (uid !== undefined) this.#bury(uid)
    const isKnown = ({ held }: F): boolean => held === undefined || this.isGone(held)
    // What is held may be an earlier one, or a later one.
    if (uid === undefined || !this.forms.every(isKnown)) this.unsure()
  }

  /** Only the server can tell from now on. */
  unsure(): void {
    this.notes += 1
    this.#unsure = this.notes
  }

  /** No resourceVersion and no uid of before says anything: the server counts anew. */
  rollBack(): void {
    this.#unsure = this.notes
    this.#atLeast = undefined
    this.#gone = undefined
  }

  /** One form has come to a state: reads of the others are not to be older. */
  heard(form: F): void {
    const { held, reached } = form
    const least = held?.resourceVersion ?? reached
    if (this.forms.length < 2 || least === undefined) return
    const isMet = form.answered >= this.notes
    this.notes += 1
    if (isMet) form.answered = this.notes
    // Absence is no event to a form that is absent, too.
    this.#raise(least, held !== undefined || 'held')
  }

  /** How a read goes on: what the form keeps is as new as what this process knows; or its watch will tell; or only the server can. */
  readiness(form: F): 'cached' | 'wait' | 'live' {
    if (form.answered >= this.notes) return 'cached'
    if (this.#unsure > form.answered) return 'live'
    const { held, reached } = form
    if (held !== undefined && this.isGone(held)) return 'wait'
    const atLeast = this.#atLeast
    const orders = [reached, form.heard].map(one => compareResourceVersions(one, atLeast))
    const isMet = atLeast === undefined || held?.resourceVersion === atLeast
    if (isMet || orders.some(order => order === 'newer' || order === 'same')) {
      form.answered = this.notes
      return 'cached'
    }
    const isCertain = this.#isCertain === 'held' ? held !== undefined : this.#isCertain
    return isCertain && orders.includes('older') ? 'wait' : 'live'
  }

  #raise(resourceVersion: string, isCertain: boolean | 'held'): void {
    if (compareResourceVersions(resourceVersion, this.#atLeast) === 'older') return
    this.#atLeast = resourceVersion
    this.#isCertain = isCertain
  }

  #bury(uid: string): void {
    this.#gone ??= new Set()
    this.#gone.delete(uid)
    this.#gone.add(uid)
    const [oldest] = this.#gone
    if (this.#gone.size > mostGone && oldest !== undefined) this.#gone.delete(oldest)
  }
}
