import { AskedRights } from '../rights/asked-rights.ts'
import type { ApiCall, Verb } from './api-call.ts'
import { OpenCall } from './open-call.ts'
import type { Received } from './received.ts'
import { ResourceLedger } from './resource-ledger.ts'
import { LastRequests } from './rest.ts'

/** Refused requests with the same status, verb, resource and scope. */
export interface Refusal {
  readonly status: number
  readonly verb: Verb
  readonly resource: string
  readonly namespace: string
  times: number
}

/** Counts the requests of a program to an API server. It keeps keys, versions and sizes of objects, but not their data. */
export class Ledger {
  readonly resources: Map<string, ResourceLedger> = new Map()
  readonly refusals: Map<string, Refusal> = new Map()
  /** Requests of no resource: discovery, schemas, health. */
  readonly others: { requests: number; bytes: number } = { requests: 0, bytes: 0 }
  /** Bytes of all bodies so far, unpacked. */
  receivedBytes = 0
  readonly game: Received | undefined
  readonly rights: AskedRights = new AskedRights()
  readonly #last: LastRequests
  readonly #now: () => number
  /** The start of the last request that is not for a lease. */
  #askedMs: number | undefined

  /**
   * @param now a clock in milliseconds
   * @param restMs the length of the rest, in milliseconds
   * @param game counts the objects of the game that the program receives
   */
  constructor(now: () => number, restMs: number, game?: Received) {
    this.#now = now
    this.game = game
    this.#last = new LastRequests(restMs)
  }

  /** Counts a request that begins. */
  begin(call: ApiCall): OpenCall {
    this.#last.add(this.#now(), titleOf(call))
    this.rights.note(call.rights)
    // A leader renews its lease at rest, too.
    if (call.resource !== 'leases.coordination.k8s.io') this.touch()
    if (call.verb === 'other') this.others.requests++
    return new OpenCall(this, call, this.of(call)?.begin(call))
  }

  /** The number of requests in the last `restMs`, by their description. */
  atRest(): ReadonlyMap<string, number> {
    return this.#last.counts(this.#now())
  }

  /** The time without requests begins now. */
  touch(): void {
    this.#askedMs = this.#now()
  }

  /** The time until the program has sent no request for `restMs`, in milliseconds. 0 or less: the program rests. */
  restsIn(restMs: number): number {
    return this.#askedMs === undefined ? restMs : this.#askedMs + restMs - this.#now()
  }

  /** Counts a request that was answered with an error. */
  refused({ verb, resource, subresource, namespace }: ApiCall, status: number): void {
    const title = subresource === '' ? resource : `${resource}/${subresource}`
    const key = JSON.stringify([status, verb, title, namespace])
    const known = this.refusals.get(key)
    if (known === undefined) this.refusals.set(key, { status, verb, resource: title, namespace, times: 1 })
    else known.times++
  }

  /** The resource of a call; undefined for a call of none. */
  of({ verb, resource }: ApiCall): ResourceLedger | undefined {
    return verb === 'other' ? undefined : this.#resource(resource)
  }

  #resource(name: string): ResourceLedger {
    const known = this.resources.get(name)
    if (known !== undefined) return known
    const made = new ResourceLedger(name)
    this.resources.set(name, made)
    return made
  }
}

/** `patch games.arcade.example.com/status`: the same for all objects of a resource. */
function titleOf({ verb, resource, subresource }: ApiCall): string {
  if (verb === 'other') return `get ${resource}`
  return `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}`
}
