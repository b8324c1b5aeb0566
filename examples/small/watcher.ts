/**
 * A watcher: prints what there is, then every change, until Ctrl-C.
 *
 * It shows `Informer` of @wherry/informer, which lists and watches, and goes on after broken connections and expired
 * watches. Use it if a program only has to follow the objects of one view.
 *
 *     node examples/small/watcher.ts [NAMESPACE]
 */
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { Informer } from '@wherry/informer'

// The cluster of KUBECONFIG, or the one that this pod runs in. Failures that are tried again are reported here.
const client = await Client.connect({ environment: { onError: error => console.error(error.message) } })

// A view says which objects you want: here those of one namespace. The server sends no others.
const view = configMaps.within({ namespaces: [process.argv[2] ?? 'default'] })
const informer = new Informer({ client, view })
informer.start()
process.once('SIGINT', () => void informer.close()) // ends the loop below

// The journal of the informer: all objects first, then the changes. If the loop is slow, it gets the newest state of
// each object, and nothing piles up.
for await (const change of informer.changes()) {
  switch (change.type) {
    case 'reset': // all objects follow
      console.log('reset')
      break
    case 'synced': // that was all of them
      console.log(`synced: ${informer.size} objects`)
      break
    case 'changed': // it is new, or it has changed
      console.log(`changed ${change.key}: ${Object.keys(change.object.data ?? {}).join(' ')}`)
      break
    case 'deleted':
      console.log(`deleted ${change.key}`)
  }
}

await client.close()
