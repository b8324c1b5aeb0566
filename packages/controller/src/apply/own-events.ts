import type { View } from '@wherry/client'
import { resourceKey } from '../reads/own-writes.ts'

interface Sent {
  /** How many writes of the object are under way. */
  underWay: number
  /** The resourceVersion that the last write made, and the key that wrote it. */
  version: string | undefined
  by: string | undefined
  /** Whether that write was of the status alone. */
  isStatus: boolean
  /** Events that came while a write was under way. */
  held: { readonly version: string | undefined; readonly report: Report }[]
}

/**
 * Reports an event.
 * @param by the key that caused the event by its own write, and need not run for it; `undefined`: another client
 * @param isStatus whether the write was only of the status
 */
export type Report = (by: string | undefined, isStatus: boolean) => void

/** The maximum number of objects with a last write that is known and has no event yet. */
const mostKnown = 10_000

/** Knows which events of owned objects a key's own writes made, so that a write does not make that key run. */
export class OwnEvents {
  /** By resource and key, the oldest first. */
  readonly #sent = new Map<string, Sent>()

  /** A key begins a write of an object, or of only its status. Call the returned function when the write has ended, with the new resourceVersion. */
  begin(object: string, by: string, isStatus = false): (version: string | undefined) => void {
    const sent = this.#sent.get(object) ?? { underWay: 0, version: undefined, by: undefined, isStatus, held: [] }
    sent.underWay += 1
    this.#sent.set(object, sent)
    return version => {
      sent.underWay -= 1
      const { held } = sent
      const isOwn = (event: (typeof held)[number]): boolean => version !== undefined && event.version === version
      if (version !== undefined) {
        sent.version = held.some(isOwn) ? undefined : version
        sent.by = by
        sent.isStatus = isStatus
      }
      // Another event may be of a write that is still under way.
      const isLast = sent.underWay === 0
      sent.held = isLast ? [] : held.filter(event => !isOwn(event))
      for (const event of held) if (isLast || isOwn(event)) event.report(isOwn(event) ? by : undefined, isStatus)
      this.#forget(object, sent)
    }
  }

  /** Reports an event of an object. While writes of the object are under way, an event of another write waits until all of them have ended. */
  received(object: string, version: string | undefined, report: Report): void {
    const sent = this.#sent.get(object)
    if (sent === undefined) return report(undefined, false)
    const isOwn = version !== undefined && version === sent.version
    if (sent.underWay > 0 && !isOwn) return void sent.held.push({ version, report })
    sent.version = undefined
    this.#forget(object, sent)
    report(isOwn ? sent.by : undefined, sent.isStatus)
  }

  #forget(object: string, { underWay, version }: Sent): void {
    if (underWay > 0) return
    if (version === undefined) this.#sent.delete(object)
    const [oldest] = this.#sent
    if (this.#sent.size > mostKnown && oldest !== undefined && oldest[1].underWay === 0) this.#sent.delete(oldest[0])
  }
}

/** The name of an object, the same for all views of it. */
export function objectId({ resource }: Pick<View, 'resource'>, key: string): string {
  return `${resourceKey(resource)} ${key}`
}
