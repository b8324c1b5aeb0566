/**
 * Shards: of all processes that run this file, each works on the ConfigMaps that a ring has assigned to it.
 *
 * It shows the operator's option `shards` of @wherry/controller. Use it if one process can't hold or handle all objects: docs/scale.md
 * says how to install what assigns them. The ring of this example is named `example`, and lists `configmaps`.
 *
 *     node examples/small/shards.ts   # in two terminals
 */
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'

const operator = await Operator.connect({
  name: 'example-shards',
  log: false,
  shards: { ring: 'example', namespace: 'default' }, // of the Lease that each process has
})

operator
  .controller('numbers')
  .for(configMaps.within({ namespaces: ['default'] }))
  // `key` is assigned to this process, and no other process works on it now.
  .reconcile(({ key, object }) => console.log(`${key.name} has ${Object.keys(object.data ?? {}).length} keys`))
  // Only if it was deleted: not if it went to another process.
  .onGone(({ key }) => console.log(`${key.name} is gone`))

await operator.run()
