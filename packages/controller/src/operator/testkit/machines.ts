import type { Client, ObjectKey } from '@wherry/client'
import type { Reconcile } from '../../controller/context.ts'
import { type Game, games } from './games.ts'

const finalizer = 'arcade.example.com/machine'

/** What a provider outside of the cluster was asked to do, by the uid of the game. */
export class MachineProvider {
  readonly made: Map<string, number> = new Map<string, number>()
  readonly cleanedUp: Map<string, number> = new Map<string, number>()

  /** Makes a machine for each game, as a user's first operator does: with a finalizer, and by what its status says. */
  readonly reconcile: Reconcile<Game, 'namespaced'> = async ({ object, key, client }) => {
    const { uid = '', finalizers = [], deletionTimestamp } = object.metadata
    if (deletionTimestamp !== undefined) {
      if (!finalizers.includes(finalizer)) return
      count(this.cleanedUp, uid)
      await patchFinalizers(client, key, null)
      return
    }
    if (!finalizers.includes(finalizer)) await patchFinalizers(client, key, [finalizer])
    if (object.status?.phase !== undefined) return
    count(this.made, uid)
    await client.status.patch(games, key, { status: { phase: `machine of ${uid}` } })
  }
}

function patchFinalizers(client: Client, key: ObjectKey<'namespaced'>, finalizers: string[] | null): Promise<Game> {
  return client.patch(games, key, { metadata: { finalizers } })
}

function count(counts: Map<string, number>, uid: string): void {
  counts.set(uid, (counts.get(uid) ?? 0) + 1)
}
