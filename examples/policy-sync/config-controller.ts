import type { KubernetesObject, View } from '@wherry/client'
import { Channel, generationChanged, type Operator } from '@wherry/controller'
import { type Registrar, WatchManager } from '@wherry/watch-manager'
import { configName, type SyncedKind, theConfig } from './config.ts'
import { type Kinds, textOf } from './kinds.ts'
import { ObjectStore, type OnChange } from './store.ts'

/** How soon kinds that are not installed are looked for again, and how soon the Config says that one has gone. */
export const retryMs = 2000

const beingRead = 'it is being read'

/** The policy store: the objects of the kinds that the Config names. */
export class PolicyStore extends ObjectStore<KubernetesObject> {
  /** Reports to the controller of the Config that a kind is ready, or no longer. */
  readonly readiness: Channel<{ name: string }> = new Channel<{ name: string }>('readiness')

  /** By kind: why its objects can't be read. */
  #obstacles: ReadonlyMap<string, string> = new Map()
  readonly #notify: OnChange<KubernetesObject>

  constructor(onChange: OnChange<KubernetesObject>) {
    super((kind, before, after) => {
      onChange(kind, before, after)
      const isOfKind = before === undefined && after === undefined
      if (isOfKind && this.readiness.connections > 0) this.readiness.send({ name: configName })
    })
    this.#notify = onChange
  }

  /** Why a kind's objects can't be read. `undefined` if the Config does not name it, and while they are being read. */
  whyNot(kind: string): string | undefined {
    return this.#obstacles.get(kind)
  }

  /** Says which kinds can't be read. What audits with them is to know. */
  setObstacles(obstacles: ReadonlyMap<string, string>): void {
    const before = this.#obstacles
    this.#obstacles = obstacles
    for (const kind of new Set([...before.keys(), ...obstacles.keys()])) {
      if (before.get(kind) !== obstacles.get(kind)) this.#notify(kind)
    }
  }
}

/** Keeps in the policy store what the Config names, and says in its status which kinds are there. */
export function declareConfig(operator: Operator, kinds: Kinds, store: PolicyStore): void {
  const sync: Registrar<KubernetesObject> = operator.manager(WatchManager).registrar('sync', store)
  kinds.usedBy({ registrar: sync, store })
  operator
    .controller('config')
    .for(theConfig)
    .withPredicates(generationChanged) // not for the status that it writes itself
    .from(store.readiness)
    .reconcile(async ({ object: config, status, signal }) => {
      kinds.dropLost()
      const found = await Promise.all(
        config.spec.sync.map(async name => ({ name, view: await kinds.find(name, signal) })),
      )
      await sync.replace(found.flatMap(({ view }) => view ?? []))
      const states = found.map(({ name, view }) => stateOf(name, view, store, sync))
      const refused = states.filter(({ message }) => message !== '' && message !== beingRead)
      store.setObstacles(new Map(refused.map(state => [textOf(state), state.message])))
      await status({ kinds: states.map(state => settledState(state, config.status?.kinds)) })
      return { requeueAfterMs: retryMs }
    })
    .onGone(() => {
      store.setObstacles(new Map())
      return sync.replace([])
    })
}

/** A kind that this process only has to read is said to be as it was: else each start would write the status twice. */
function settledState(state: SyncedKind, before: readonly SyncedKind[] = []): SyncedKind {
  if (state.message !== beingRead) return state
  return before.find(one => textOf(one) === textOf(state)) ?? state
}

function stateOf(
  { group, kind }: { group: string; kind: string },
  view: View | undefined,
  store: PolicyStore,
  sync: Registrar<KubernetesObject>,
): SyncedKind {
  if (view === undefined) return { group, kind, state: 'Pending', message: 'it is not installed' }
  const pending = sync.pending.find(one => one.view.key === view.key)
  if (pending !== undefined) {
    return { group, kind, state: 'Pending', message: pending.reason?.message ?? beingRead }
  }
  if (store.isReady(textOf({ group, kind }))) return { group, kind, state: 'Synced', message: '' }
  return { group, kind, state: 'Pending', message: beingRead }
}
