/**
 * A list in pages: counts the ConfigMaps of each namespace, and holds one page of them at a time.
 *
 * It shows `pages` of @wherry/client. Use it if a program reads all objects once, and they may be too many for its
 * memory or for one answer of the server. To follow changes, take an informer instead (watcher.ts).
 *
 *     node examples/small/pages.ts [LIMIT]
 */
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'

const client = await Client.connect()
const limit = Number(process.argv[2] ?? 100)

const counts = new Map<string, number>()
let pages = 0
// The next page is requested when the loop asks for it. The metadata is enough to count: no data is even sent.
for await (const page of client.pages(configMaps.metadata(), { limit })) {
  // The server keeps the state of a list for some minutes. If the loop took longer, this page is the whole list in a
  // newer state, so what was counted before does not count.
  if (page.restarted) counts.clear()
  for (const { metadata } of page.items) {
    const namespace = metadata.namespace ?? ''
    counts.set(namespace, (counts.get(namespace) ?? 0) + 1)
  }
  pages += 1
  console.log(`page ${pages}: ${page.items.length} objects, ${page.remainingItemCount ?? 0} to come`)
}

for (const [namespace, count] of counts) console.log(`${namespace}: ${count}`)
await client.close()
