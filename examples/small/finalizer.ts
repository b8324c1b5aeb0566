/**
 * An operator with one finalizer: something outside the cluster is removed before its object goes, until Ctrl-C.
 *
 * It shows `finalizer` of @wherry/controller's `Operator`. Use it if an object stands for
 * something that Kubernetes does not know, such as a DNS entry. Objects in the cluster need only an owner.
 *
 *     node examples/small/finalizer.ts FOLDER   # keeps a file in FOLDER for each ConfigMap with example.com/file=true
 */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'

const folder = process.argv[2] ?? '.'
// No name has a `_`, so no two objects have the same file.
const fileOf = (key: { namespace: string; name: string }) => join(folder, `${key.namespace}_${key.name}.json`)
// The operator receives only the objects with this label.
const wanted = configMaps.within({ labels: { 'example.com/file': 'true' } })

const operator = await Operator.connect({ name: 'file-operator' })
operator
  .controller('file')
  .for(wanted)
  // Somebody has deleted the object. It stays until its last finalizer is gone. The clean-up may run twice, so it must
  // succeed if nothing is left. If it throws, the key runs again, and the object still stays.
  .finalizer('example.com/file', async ({ key }) => {
    await rm(fileOf(key), { force: true })
    console.log(`removed ${fileOf(key)}`)
  })
  // By now the object has the finalizer: if the process dies after it has made the file, the clean-up is still due.
  .reconcile(async ({ key, object }) => {
    await writeFile(fileOf(key), JSON.stringify(object.data ?? {}))
    console.log(`wrote ${fileOf(key)}`)
  })

await operator.run() // until Ctrl-C; the running reconcile ends first
