/** The counts of one verb on one resource. Bytes that a fault cuts off or holds back count as sent. */
export interface RequestStats {
  /** The number of received requests, including refused ones. */
  readonly requests: number
  /** The bytes of sent objects: items, single objects, watch events. Compressed bytes if the answer was compressed. */
  readonly objectBytes: number
  /** The number of all other bytes sent in bodies: list envelopes, bookmarks, Status bodies, discovery. */
  readonly otherBytes: number
  /** The number of unfinished answers: for `watch`, the open watches. */
  readonly openStreams: number
}

/** Counters of a server since its start or the last `resetStats`. */
export interface ServerStats {
  /** By verb, then by resource (`configmaps`, `games.arcade.example.com`; `-` for paths without a resource). */
  readonly byVerb: Readonly<Record<string, Readonly<Record<string, RequestStats>>>>
  /** The sums over all verbs and resources. */
  readonly total: RequestStats
  /** Open connections, and how many were made since the start or the last `resetStats`. */
  readonly connections: { readonly open: number; readonly total: number }
}

/** The counters of one verb on one resource. */
export class Counter {
  requests = 0
  objectBytes = 0
  otherBytes = 0
  openStreams = 0
}

/** Counts requests by verb and resource. */
export class Counters {
  readonly #byVerb = new Map<string, Map<string, Counter>>()

  for(verb: string, resource: string): Counter {
    let resources = this.#byVerb.get(verb)
    if (resources === undefined) {
      resources = new Map()
      this.#byVerb.set(verb, resources)
    }
    let counter = resources.get(resource)
    if (counter === undefined) {
      counter = new Counter()
      resources.set(resource, counter)
    }
    return counter
  }

  /** Sets requests and bytes to zero. Open streams stay counted: they are a current number, not a sum. */
  reset(): void {
    for (const resources of this.#byVerb.values()) {
      for (const counter of resources.values()) {
        counter.requests = 0
        counter.objectBytes = 0
        counter.otherBytes = 0
      }
    }
  }

  read(connections: ServerStats['connections']): ServerStats {
    const total = new Counter()
    // Without a prototype: a client's verb or resource may be called `__proto__`.
    const byVerb: Record<string, Record<string, RequestStats>> = Object.create(null)
    for (const [verb, resources] of this.#byVerb) {
      const counts: Record<string, RequestStats> = Object.create(null)
      for (const [resource, counter] of resources) {
        counts[resource] = { ...counter }
        total.requests += counter.requests
        total.objectBytes += counter.objectBytes
        total.otherBytes += counter.otherBytes
        total.openStreams += counter.openStreams
      }
      byVerb[verb] = counts
    }
    return { byVerb, total: { ...total }, connections }
  }
}
