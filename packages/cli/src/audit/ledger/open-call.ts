import type { BodyFinds, Found } from '../scan/body-reader.ts'
import type { ApiCall } from './api-call.ts'
import type { AnswerEnd, Collection, RelistReason } from './collection.ts'
import { type Fingerprint, fingerprintOf } from './fingerprint.ts'
import type { Ledger } from './ledger.ts'
import type { ByName, ResourceLedger } from './resource-ledger.ts'

/** A request that is under way. */
export class OpenCall implements BodyFinds {
  readonly call: ApiCall
  readonly #ledger: Ledger
  readonly #resource: ResourceLedger | undefined
  readonly #collection: Collection | undefined
  readonly #into: Collection | ByName | undefined
  /** The version of the object before this call, if it is known. */
  #before: string | undefined
  readonly #relist: RelistReason | undefined
  #status = 0
  #isExpired = false
  #hasEnded = false

  /** @param relist the reason for a repeated list, if the call is one */
  constructor(ledger: Ledger, call: ApiCall, relist: RelistReason | undefined) {
    this.call = call
    this.#relist = relist
    this.#ledger = ledger
    this.#resource = ledger.of(call)
    if (call.verb === 'list' || call.verb === 'watch') this.#collection = this.#resource?.collection(call)
    this.#into = call.verb === 'deletecollection' ? undefined : (this.#collection ?? this.#resource?.named(call))
    // Versions that pass from now on may be the result of this call.
    if (call.name !== '') this.#before = this.#resource?.versionOf(fingerprintOf(call))
  }

  /** Records the resourceVersion in the body of the request. The server refuses the call if the object has another. */
  sent({ resourceVersion }: Found): void {
    if (resourceVersion !== '') this.#before = resourceVersion
  }

  answered(status: number): void {
    this.#status = status
    this.#ledger.rights.answered(this.call.rights, status)
    const { verb, isFurtherPage, isStreamedList } = this.call
    if (status >= 400) this.#ledger.refused(this.call, status)
    else if ((verb === 'list' && !isFurtherPage) || isStreamedList) this.#collection?.listed(this.#relist)
  }

  /** Counts bytes as they were sent. */
  wireBytes(size: number): void {
    if (this.#collection !== undefined) this.#collection.wireBytes += size
  }

  bytes(size: number): void {
    this.#ledger.receivedBytes += size
    if (this.#into === undefined) this.#ledger.others.bytes += size
    else this.#into.bytes += size
  }

  found(object: Found): void {
    if (object.type === 'BOOKMARK' || this.#resource === undefined) return
    if (object.type === 'ERROR') {
      if (object.code === '410') this.#isExpired = true
      return
    }
    this.#ledger.game?.found(this.call.resource, object)
    // Objects in a list or a watch have their own namespace and name.
    const fingerprint = fingerprintOf(object.name === '' ? this.call : object)
    if (this.#collection !== undefined) this.#collection.received(fingerprint, object)
    else this.#written(fingerprint, object)
    if (!this.call.isDryRun) this.#resource.observe(fingerprint, object)
  }

  /** Counts how the answer ended. Only the first call counts. */
  ended(how: AnswerEnd): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    if (this.call.verb === 'watch') this.#collection?.endWatch(this.#reason(how))
  }

  #reason(how: AnswerEnd): RelistReason {
    if (this.#isExpired || this.#status === 410) return '410'
    return this.#status >= 400 ? 'refused' : how
  }

  #written(object: Fingerprint, { resourceVersion }: Found): void {
    const { verb, isDryRun } = this.call
    this.#resource?.used.add(object)
    if ((verb !== 'update' && verb !== 'patch') || isDryRun) return
    if (resourceVersion === '' || resourceVersion !== this.#before) return
    if (this.#resource === undefined) return
    this.#resource.named(this.call).unchanged++
    if (verb === 'patch') this.#resource.patchesOf(this.call).unchanged++
  }
}
