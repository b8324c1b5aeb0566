import type { View } from '@wherry/client'
import { resourceKey } from '../reads/own-writes.ts'

interface Sent {
  /** How many writes of the object are under way. */
  underWay: number
  /** The resourceVersion that the last write made. */
  version: string | undefined
  /** Events that came while a write was under way. */
  readonly held: { readonly version: string | undefined; readonly tell: () => void }[]
}

/** Of how many objects the last write is known whose event has not come. */
const mostKnown = 10_000

/** Tells events of owned objects that this controller's own writes made from those of others, so that a write makes nothing run. */
export class OwnEvents {
  /** By resource and key, the oldest first. */
  readonly #sent = new Map<string, Sent>()

  /** A write of an object is sent. What is returned is to be called when it is over, with the resourceVersion that it made. */
  begin(object: string): (version: string | undefined) => void {
    const sent = this.#sent.get(object) ?? { underWay: 0, version: undefined, held: [] }
    sent.underWay += 1
    this.#sent.set(object, sent)
    return version => {
      sent.underWay -= 1
      const isHeard = sent.held.some(one => one.version === version)
      sent.version = isHeard ? undefined : version
      for (const one of sent.held.splice(0)) if (version === undefined || one.version !== version) one.tell()
      this.#forget(object, sent)
    }
  }

  /** An event has come. Calls `tell` unless a write of this controller made it; after the writes that are under way. */
  heard(object: string, version: string | undefined, tell: () => void): void {
    const sent = this.#sent.get(object)
    if (sent === undefined) return tell()
    if (sent.underWay > 0) return void sent.held.push({ version, tell })
    const isOwn = version !== undefined && version === sent.version
    sent.version = undefined
    this.#forget(object, sent)
    if (!isOwn) tell()
  }

  #forget(object: string, { underWay, version }: Sent): void {
    if (underWay > 0) return
    if (version === undefined) this.#sent.delete(object)
    const [oldest] = this.#sent
    if (this.#sent.size > mostKnown && oldest !== undefined && oldest[1].underWay === 0) this.#sent.delete(oldest[0])
  }
}

/** Names an object, whichever view it is of. */
export function objectId({ resource }: Pick<View, 'resource'>, key: string): string {
  return `${resourceKey(resource)} ${key}`
}
