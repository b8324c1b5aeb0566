import { defineResource, type KubernetesObject, type Timer, type View } from '@wherry/client'
import type { Operator } from '@wherry/controller'
import type { Conversion } from './conversion.ts'

/** How long an API server may take until it uses a changed definition for conversions, in milliseconds. */
const settleMs = 10_000
/** The time until the next probe of whether the API server converts, in milliseconds. */
const probeMs = 250
/** The age of a change, in milliseconds, after which every API server uses it. It is `settleMs` and a margin for clocks that differ. */
const freshMs = 30_000

/** Whether a definition has the conversion: `unseen` until it is known, `absent` if there is no definition. */
export type DefinitionState = 'unseen' | 'absent' | 'lacking' | 'there'

/**
 * Holds back the reads of caches until API servers convert the objects of a kind. An API server uses a change of `spec.conversion` only a moment after
 * it has accepted the change. Until then it answers with the stored fields under the requested version. So nothing is read into a cache before the
 * definition has the conversion, and the server has asked for a conversion, has no object, or ten seconds have passed. If the definition loses the
 * conversion and gets it back, all cached objects are read again, and once more ten seconds later, for the other API servers.
 */
export class TakenUp {
  readonly #operator: Operator
  readonly #conversion: Conversion<never>
  #state: DefinitionState | 'coming' = 'unseen'
  #changed = Promise.withResolvers<void>()
  #releases: (() => void)[] = []
  #settles: Timer | undefined
  #again: Timer | undefined
  #isAsked = false
  readonly #probed = new Set<string | undefined>()
  readonly #end = new AbortController()

  constructor(operator: Operator, conversion: Conversion<never>) {
    this.#operator = operator
    this.#conversion = conversion
  }

  /** Holds back the reads of the operator's caches from now on. */
  start(): void {
    const { cache, narrow } = this.#operator
    const { resource } = this.#conversion.hub
    const until = (namespace: string | undefined): Promise<void> | undefined => this.#held(namespace)
    this.#releases = [cache.holdReads(resource, until), narrow.holdReads(resource, until)]
  }

  stop(): void {
    this.#end.abort(new Error('the webhooks stop'))
    this.#settles?.cancel()
    this.#again?.cancel()
    for (const release of this.#releases) release()
    this.#changed.resolve()
  }

  /**
   * Receives the current state of the definition.
   *
   * @param changedAt the time at which the definition got the conversion, if known, in milliseconds since 1970
   */
  see(state: DefinitionState, changedAt: number | undefined): void {
    const before = this.#state
    if (state === 'there' ? before === 'there' || before === 'coming' : before === state) return
    this.#again?.cancel()
    this.#settles?.cancel()
    const { clock } = this.#operator.client.environment
    const isOld = before === 'unseen' && Math.abs(clock.now() - (changedAt ?? 0)) > freshMs
    if (state !== 'there' || isOld) return this.#become(state)
    this.#isAsked = false
    for (const { view } of this.#cached) for (const one of view.namespaces ?? [undefined]) this.#probed.add(one)
    this.#become('coming')
    this.#settles = clock.timer(settleMs, () => this.#open())
    if (this.#probed.size > 0) void this.#probe()
  }

  /** Called when an API server has asked for a conversion and was answered. */
  asked(): void {
    this.#isAsked = true
  }

  /** The reason why reads are held back; `undefined` if they are not. */
  get obstacle(): string | undefined {
    const { name } = this.#conversion
    if (this.#state === 'lacking') return `${name} is not read until its definition has its conversion`
    if (this.#state === 'coming') return `${name} is not read until the API server converts it`
    return undefined
  }

  /** The operator's informers of the kind, in any version. */
  get #cached(): readonly { readonly view: View }[] {
    const { group, plural } = this.#conversion.hub.resource
    const isOf = ({ resource }: View): boolean => resource.group === group && resource.plural === plural
    return this.#operator.cache.informers.filter(({ view }) => isOf(view as View)) as { readonly view: View }[]
  }

  #held(namespace: string | undefined): Promise<void> | undefined {
    if (this.#state === 'there' || this.#state === 'absent' || this.#end.signal.aborted) return undefined
    const isNew = !this.#probed.has(namespace)
    this.#probed.add(namespace)
    if (this.#state === 'coming' && isNew) void this.#probe()
    return this.#changed.promise
  }

  #become(state: DefinitionState | 'coming'): void {
    this.#state = state
    const { resolve } = this.#changed
    this.#changed = Promise.withResolvers()
    resolve()
  }

  #open(): void {
    this.#again?.cancel()
    if (this.#state === 'coming') this.#become('there')
    const { cache, narrow } = this.#operator
    const { resource } = this.#conversion.hub
    cache.relist(resource)
    narrow.relist(resource)
  }

  /**
   * Lists an object in each version, in the namespaces for which caches wait. At least one version differs from the stored version, so the API server has to
   * convert.
   */
  async #probe(): Promise<void> {
    this.#again?.cancel()
    const { client } = this.#operator
    const { signal } = this.#end
    let found = 0
    for (const version of this.#conversion.versions)
      for (const namespace of this.#probed) {
        const resource = defineResource<KubernetesObject>({ ...this.#conversion.hub.resource, version })
        const view = namespace === undefined ? resource : resource.within({ namespaces: [namespace] })
        // The version may not be served, the list may be refused, or the conversion may still fail: then the time decides.
        const page = await client.list(view as never, { limit: 1, signal }).catch(() => undefined)
        found += page?.items.length ?? 1
      }
    if (this.#state !== 'coming' || signal.aborted) return
    if (this.#isAsked || found === 0) return this.#open()
    this.#again = client.environment.clock.timer(probeMs, () => void this.#probe())
  }
}
