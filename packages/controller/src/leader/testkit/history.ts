import { type Client, isExpired, type KubernetesObject, type Resource } from '@wherry/client'
import { leases } from '@wherry/client/resources/coordination'
import { configMaps } from '@wherry/client/resources/core'

/** The lease of these tests. */
export const lease = { name: 'lease', namespace: 'default' }

/** What the server has accepted: states of the lease, and writes of leaders, which name their writer and its term. */
export type Accepted = { readonly rv: number; readonly at: number; readonly term: number } & (
  | { readonly kind: 'lease'; readonly holder: string }
  | { readonly kind: 'write'; readonly by: string }
)

/** A write that was accepted when its writer's term was over. */
export interface OutOfTerm {
  readonly by: string
  readonly what: string
}

/** What a server accepted since `watch()`, in the order in which it stored it. */
export class History {
  readonly accepted: Accepted[] = []
  readonly #client: Client
  #ended = false

  /** @param client of the test's own, that nothing stands in the way of */
  constructor(client: Client) {
    this.#client = client
  }

  watch(): void {
    this.#follow(leases, (type, { spec }) => {
      return {
        kind: 'lease',
        holder: type === 'DELETED' ? '' : (spec?.holderIdentity ?? ''),
        term: spec?.leaseTransitions ?? 0,
      }
    })
    this.#follow(configMaps, (type, { data }) => {
      return type === 'ADDED' && data?.by !== undefined
        ? { kind: 'write', by: data.by, term: Number(data.term) }
        : undefined
    })
  }

  end(): void {
    this.#ended = true
  }

  /**
   * The writes that were accepted outside their writer's term. Exact, whatever the clocks: all objects of a server have
   * their resourceVersions from one counter.
   */
  outOfTerm(): OutOfTerm[] {
    const wrong: OutOfTerm[] = []
    let holder = ''
    let term = -1
    for (const one of this.accepted.toSorted((a, b) => a.rv - b.rv)) {
      if (one.kind === 'lease') {
        holder = one.holder
        term = one.term
      } else if (one.by !== holder || one.term !== term) {
        const what = `${one.at}: ${one.by} wrote in its term ${one.term}, in ${holder || 'nobody'}’s ${term}`
        wrong.push({ by: one.by, what })
      }
    }
    return wrong
  }

  /** A watch that goes on where it broke off, and misses nothing. */
  #follow<T extends KubernetesObject>(
    view: Resource<T, 'namespaced'>,
    read: (type: string, object: T) => Distribute<Accepted> | undefined,
    resourceVersion?: string,
  ): void {
    const { clock } = this.#client.environment
    let last = resourceVersion
    this.#client.watchEach(
      view.within({ namespaces: [lease.namespace] }),
      {
        event: (type, object) => {
          last = object.metadata?.resourceVersion
          const accepted = read(type, object)
          if (accepted !== undefined) this.accepted.push({ ...accepted, rv: Number(last), at: clock.monotonic() })
        },
        bookmark: at => {
          last = at
        },
        end: end => {
          if (this.#ended) return
          if ('error' in end && isExpired(end.error)) throw new Error('the history is lost', { cause: end.error })
          clock.timer(20, () => this.#follow(view, read, last))
        },
      },
      { timeoutSeconds: 100_000, resourceVersion },
    )
  }
}

type Distribute<A> = A extends unknown ? Omit<A, 'rv' | 'at'> : never
