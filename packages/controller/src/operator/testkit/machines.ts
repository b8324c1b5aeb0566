import type { Client, ObjectKey } from '@wherry/client'
import { expect } from 'vitest'
import type { Reconcile, ReconcileContext } from '../../controller/context.ts'
import type { ControllerBuilder } from '../builder.ts'
import { type Game, games } from './games.ts'

const finalizer = 'arcade.example.com/machine'

/** What a provider outside of the cluster was asked to do, by the uid of the game. */
export class MachineProvider {
  readonly made: Map<string, number> = new Map<string, number>()
  readonly cleanedUp: Map<string, number> = new Map<string, number>()

  /** Makes a machine for each game, with a finalizer by hand or, where `isPair`, with one that the controller keeps. */
  provideBy(controller: ControllerBuilder<Game, 'namespaced'>, isPair: boolean): void {
    if (!isPair) controller.reconcile(this.reconcile)
    else {
      controller
        .finalizer(finalizer, ({ object }) => count(this.cleanedUp, object.metadata.uid ?? ''))
        .reconcile(context => this.#make(context))
    }
  }

  /** Makes a machine for each game, as a user's first operator does: with a finalizer, and by what its status says. */
  readonly reconcile: Reconcile<Game, 'namespaced'> = async context => {
    const { object, key, client } = context
    const { uid = '', finalizers = [], deletionTimestamp } = object.metadata
    if (deletionTimestamp !== undefined) {
      if (!finalizers.includes(finalizer)) return
      count(this.cleanedUp, uid)
      await patchFinalizers(client, key, null)
      return
    }
    if (!finalizers.includes(finalizer)) await patchFinalizers(client, key, [finalizer])
    await this.#make(context)
  }

  async #make({ object, key, client }: ReconcileContext<Game, 'namespaced'>): Promise<void> {
    const { uid = '' } = object.metadata
    if (object.status?.phase !== undefined) return
    const found = await client.get(games, key)
    if (found?.metadata?.uid === uid) expect(found.metadata.finalizers).toEqual([finalizer])
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
