import { defineResource, type KubernetesObject, type Timer, type View } from '@wherry/client'
import type { Operator } from '@wherry/controller'
import type { Conversion } from './conversion.ts'

/** How long an API server may take until it converts as the definition says, in milliseconds. */
const settleMs = 10_000
/** How long it takes until the API server is asked again whether it converts, in milliseconds. */
const probeMs = 250
/** A definition that was changed so long ago, in milliseconds, has been taken up by every API server. Clocks may differ by the rest. */
const freshMs = 30_000

/** What a definition says of a conversion: `unseen` until it is known, `absent` if there is no definition. */
export type DefinitionState = 'unseen' | 'absent' | 'lacking' | 'there'

/**
 * Whether API servers convert the objects of a kind. An API server takes a change of `spec.conversion` up a moment after it has accepted it, and until
 * then it answers with objects as they are stored, with the version that was asked for. So nothing is read into a cache before the definition has the
 * conversion and one of these shows that the server has taken it up: it has asked for a conversion, it has no object, or ten seconds have passed.
 * If the definition loses the conversion and gets it back, all that is cached is read again. So it is ten seconds later, for the other API servers.
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

  /** Takes what the definition says now. `changedAt`: when it got its conversion as far as that is known, in milliseconds since 1970. */
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

  /** An API server has asked for a conversion, and was answered. */
  asked(): void {
    this.#isAsked = true
  }

  /** Why nothing is read; `undefined` if it is. */
  get obstacle(): string | undefined {
    const { name } = this.#conversion
    if (this.#state === 'lacking') return `${name} is not read until its definition has its conversion`
    if (this.#state === 'coming') return `${name} is not read until the API server converts it`
    return undefined
  }

  /** What was read before. */
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

  /** Has the API server read an object in each version, where caches wait to read: one of the versions is not that of the object. */
  async #probe(): Promise<void> {
    this.#again?.cancel()
    const { client } = this.#operator
    const { signal } = this.#end
    let found = 0
    for (const version of this.#conversion.versions)
      for (const namespace of this.#probed) {
        const resource = defineResource<KubernetesObject>({ ...this.#conversion.hub.resource, version })
        const view = namespace === undefined ? resource : resource.within({ namespaces: [namespace] })
        // It may not be served, may be refused, or can't be converted yet: the time that passes settles it.
        const page = await client.list(view as never, { limit: 1, signal }).catch(() => undefined)
        found += page?.items.length ?? 1
      }
    if (this.#state !== 'coming' || signal.aborted) return
    if (this.#isAsked || found === 0) return this.#open()
    this.#again = client.environment.clock.timer(probeMs, () => void this.#probe())
  }
}
