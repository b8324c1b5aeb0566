/**
 * An operator with one finalizer: something outside the cluster is removed before its object goes, until Ctrl-C.
 *
 * It shows `Operator`, `addFinalizer` and `removeFinalizer` of @wherry/controller. Use it if an object stands for
 * something that Kubernetes does not know, such as a DNS entry. What is in the cluster needs only an owner.
 *
 *     node examples/small/finalizer.ts FOLDER   # keeps a file in FOLDER for each ConfigMap with example.com/file=true
 */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { configMaps } from '@wherry/client/resources/core'
import { addFinalizer, Operator, removeFinalizer } from '@wherry/controller'

const folder = process.argv[2] ?? '.'
const finalizer = 'example.com/file'
// The operator receives only the objects with this label.
const wanted = configMaps.within({ labels: { 'example.com/file': 'true' } })

const operator = await Operator.connect({ name: 'file-operator' })
operator
  .controller('file')
  .for(wanted)
  .reconcile(async ({ object, key, client }) => {
    const file = join(folder, `${key.namespace}-${key.name}.json`)
    if (object.metadata.deletionTimestamp) {
      // Somebody has deleted the object. It stays until its last finalizer is gone. The clean-up may run twice, so it
      // must succeed if nothing is left. If it throws, the key runs again, and the object still stays.
      await rm(file, { force: true })
      await removeFinalizer(client, wanted, object, finalizer)
      console.log(`removed ${file}`)
      return
    }
    // Before anything is made outside: if the process dies right after it, the clean-up is still due.
    if ((await addFinalizer(client, wanted, object, finalizer)) === undefined) return // it is gone already
    await writeFile(file, JSON.stringify(object.data ?? {}))
    console.log(`wrote ${file}`)
  })

await operator.run() // until Ctrl-C; the running reconcile ends first
