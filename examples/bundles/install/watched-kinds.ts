import type { KubernetesObject, View } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { deployments } from '@wherry/client/resources/apps'
import { DynamicViews } from '@wherry/controller'
import { textOf } from '../bundle/kinds.ts'
import type { Made } from '../platform-operator.ts'

/** The label that says for which PlatformOperator an object was made. */
export const ownerLabel = 'bundles.example.com/operator'

/** The parts that are kept of an object with a state that matters. */
export interface Observed {
  readonly owner: string | undefined
  /** Its condition `Available` or `Established`: why it is not so, or `undefined`. */
  readonly isReady: boolean
  readonly reason: string
  readonly message: string
}

interface Stateful extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Stated[] | null | undefined } | undefined
}

/** A condition of a built-in kind, as its schema has it. */
type Stated = { readonly [field in 'type' | 'status' | 'reason' | 'message']?: string | undefined }

const observed =
  (type: string) =>
  ({ metadata, status }: Stateful): Observed => {
    const condition = status?.conditions?.find(one => one.type === type)
    const { status: is = 'Unknown', reason = 'Pending', message = `${type} is not said yet` } = condition ?? {}
    return { owner: metadata?.labels?.[ownerLabel], isReady: is === 'True', reason, message }
  }

const ours = { labels: ownerLabel }

/** Of Deployments that were made, whether they are available. */
export const health: View<Observed, 'namespaced'> = deployments.within(ours).project('health', observed('Available'))

/** Of definitions that were made, whether they are served. */
export const served: View<Observed, 'cluster'> = customResourceDefinitions
  .within(ours)
  .project('served', observed('Established'))

const stateful = new Map<string, View<Observed>>([health, served].map(view => [textOf(view), view as View<Observed>]))

/** Watches the kinds with a state that matters: each for as long as a bundle has an object of it. */
export class WatchedKinds {
  readonly source: DynamicViews<Observed> = new DynamicViews<Observed>('made')
  /** Kinds by PlatformOperator. */
  readonly #needed = new Map<string, ReadonlySet<string>>()

  /** What a PlatformOperator has made, or is about to. */
  async need(operator: string, made: readonly Made[]): Promise<void> {
    const kinds = new Set(made.map(({ kind }) => kind).filter(kind => stateful.has(kind)))
    if (kinds.size === 0) this.#needed.delete(operator)
    else this.#needed.set(operator, kinds)
    const all = new Set([...this.#needed.values()].flatMap(kinds => [...kinds]))
    await this.source.replace([...all].map(kind => stateful.get(kind) as View<Observed>))
  }
}
