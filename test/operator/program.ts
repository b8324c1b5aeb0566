/**
 * An operator to be killed at any moment. For each ConfigMap labelled `role: wish` it reads the Secret that it names, makes an
 * output that says what it read, and keeps a trace of the wish that nobody owns, which a finalizer has it take away.
 * Its argument: JSON of {@link ProgramOptions}.
 */
import { Client, isNotFound } from '@wherry/client'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { addFinalizer, hasFinalizer, Operator, removeFinalizer } from '@wherry/controller'
import { finalizer, outputOf, outputs, type ProgramOptions, traceOf, traces, wishes } from './world.ts'

const { url, ca, token } = JSON.parse(process.argv[2] ?? '') as ProgramOptions
const client = new Client({ url, ca, token })
const operator = new Operator({ name: 'arcade', client })

operator
  .controller('wishes', { concurrency: 4 })
  .for(wishes)
  .owns(outputs)
  .reconcile(async ({ object: wish, key, read, apply, client: writer }) => {
    if (wish.metadata?.deletionTimestamp !== undefined) {
      try {
        await writer.delete(configMaps, { namespace: key.namespace, name: traceOf(key.name) })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
      await removeFinalizer(writer, wishes, wish, finalizer)
      return
    }
    if (!hasFinalizer(wish, finalizer)) {
      await addFinalizer(writer, wishes, wish, finalizer)
      return
    }
    await apply(traces, { metadata: { name: traceOf(key.name) } }, { owner: false })
    const wanted = wish.data?.secret ?? ''
    const secret = wanted === '' ? undefined : await read.get(secrets, { name: wanted })
    await apply(outputs, { metadata: { name: outputOf(key.name) }, data: { said: saidOf(secret?.data?.value) } })
  })

function saidOf(value: string | undefined): string {
  return value === undefined ? 'nothing' : atob(value)
}

await operator.run()
await client.close()
