/**
 * An informer with the event names of client-node, for handlers that were written for it.
 *
 * It shows a thin adapter of `Informer` of @wherry/informer. Use it if handlers should stay as they are for now. Unlike client-node's
 * informer, this one goes on by itself after an error, so no handler has to start it again.
 *
 *     node examples/small/client-node-events.ts
 */
import { EventEmitter } from 'node:events'
import { Client, type View } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { Informer } from '@wherry/informer'

class ClientNodeInformer<C> extends EventEmitter<Record<'add' | 'update' | 'delete' | 'change', [object: C]>> {
  readonly #informer: Informer<C>

  constructor(client: Client, view: View<C>) {
    super()
    this.#informer = new Informer({ client, view })
  }

  /** Resolves when the first list has come, and its objects were emitted. An informer that was stopped does not start again. */
  async start(): Promise<void> {
    const emitting = (event: 'add' | 'update' | 'delete') => (object: C) => {
      this.emit(event, object)
      this.emit('change', object)
    }
    const events = { add: emitting('add'), update: emitting('update'), delete: emitting('delete') }
    const registration = this.#informer.addHandler(events)
    this.#informer.start()
    await registration.whenSynced()
  }

  list(): readonly C[] {
    return this.#informer.list()
  }

  stop(): Promise<void> {
    return this.#informer.close()
  }
}

// What client-node emits as `error` is reported here.
const client = await Client.connect({ environment: { onError: error => console.error(error.message) } })
const informer = new ClientNodeInformer(client, configMaps.within({ labels: { 'example.com/watched': 'true' } }))
informer.on('add', object => console.log(`added ${object.metadata?.name}`))
informer.on('update', object => console.log(`updated ${object.metadata?.name}`))
informer.on('delete', object => console.log(`deleted ${object.metadata?.name}`))
await informer.start()
console.log(`synced: ${informer.list().length}`)

process.once('SIGINT', async () => {
  await informer.stop()
  await client.close()
})
