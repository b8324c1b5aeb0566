/**
 * A metadata informer: prints the labels of all Secrets, and never receives their data, until Ctrl-C.
 *
 * It shows a metadata view of @wherry/client with an `Informer` of @wherry/informer. Use it if names, labels,
 * annotations or owners are enough: the server leaves out the rest, so it costs neither network nor memory.
 *
 *     node examples/small/metadata-informer.ts
 */
import { Client } from '@wherry/client'
import { secrets } from '@wherry/client/resources/core'
import { Informer } from '@wherry/informer'

const client = await Client.connect({ environment: { onError: error => console.error(error.message) } })
const informer = new Informer({ client, view: secrets.metadata() })

// A handler is called for every event, after the store has changed.
informer.addHandler({
  add: ({ metadata }, { key }) => console.log(`added ${key}: ${JSON.stringify(metadata.labels ?? {})}`),
  update: ({ metadata }, { key, old }) => {
    // The type of the object has no data: `object.data` does not compile.
    console.log(
      `updated ${key}: ${JSON.stringify(metadata.labels ?? {})}, was ${JSON.stringify(old.metadata.labels ?? {})}`,
    )
  },
  delete: (_, { key }) => console.log(`deleted ${key}`),
})

informer.start()
await informer.whenSynced() // rejects if waiting does not help, for example if the rights are missing

// Reads are answered from memory, at once.
console.log(`synced: ${informer.size} Secrets, ${informer.list({ labels: { app: 'web' } }).length} of app=web`)

process.once('SIGINT', async () => {
  await informer.close()
  await client.close()
})
