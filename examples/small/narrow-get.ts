/**
 * A narrow get: reads one Secret by its name, keeps it current, and never receives another one, until Ctrl-C.
 *
 * It shows `NarrowCache` of @wherry/narrow-cache. Use it if a program needs a few objects of very many, and learns their
 * names only while it runs. If it needs most of them, take an informer instead.
 *
 *     node examples/small/narrow-get.ts NAME [NAMESPACE]
 */
import { Client } from '@wherry/client'
import { secrets } from '@wherry/client/resources/core'
import { NarrowCache } from '@wherry/narrow-cache'

const [name = 'db', namespace = 'default'] = process.argv.slice(2)
const key = { namespace, name }
const client = await Client.connect({ environment: { onError: error => console.error(error.message) } })
const narrow = new NarrowCache({ client })

// The first get opens a watch of this one object. The right to read it may be granted by `resourceNames`.
const secret = await narrow.get(secrets, key)
console.log(secret === undefined ? `${name} does not exist` : `${name} has ${Object.keys(secret.data ?? {}).join(' ')}`)

// Every later get is answered from memory. That the object does not exist is known from memory, too.
await narrow.get(secrets, key)
console.log(`${narrow.report().entries} entry, ${narrow.report().streams} watch`)

// A subscription first gets the present state, then each change. Until it is closed, the entry is not evicted.
const subscription = await narrow.watch(secrets, key, {
  absent: () => console.log('now: absent'),
  add: ({ data }) => console.log(`now: ${Object.keys(data ?? {}).join(' ')}`),
  update: ({ data }) => console.log(`now: ${Object.keys(data ?? {}).join(' ')}`),
  delete: () => console.log('now: deleted'),
})

process.once('SIGINT', async () => {
  await subscription.close()
  await narrow.close()
  await client.close()
})
