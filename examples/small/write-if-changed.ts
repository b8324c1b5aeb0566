/**
 * Hash-compare, and write if changed: makes a ConfigMap as desired, and sends nothing if it is.
 *
 * It shows `applyIfChanged` and `hashAtIngest` of @wherry/hash-compare. Use it if a program makes objects and runs
 * often: it compares by hashes of a few hundred bytes, so it need not keep the objects that it has made.
 *
 *     node examples/small/write-if-changed.ts VALUE   # again with the same value, then with another one
 */
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { applyIfChanged, hashAtIngest, isWriteConflict, parts, specPart } from '@wherry/hash-compare'

const client = await Client.connect()

// What counts as a difference: here everything but status and metadata; name and labels still count.
const content = parts({ spec: specPart() })

// A view that keeps of each observed object its identity and these hashes.
const hashed = configMaps.project(...hashAtIngest(content))

const key = { namespace: 'default', name: 'opening-hours' }
const desired = { metadata: key, data: { monday: process.argv[2] ?? '10-22' } }

// In an operator, `observed` comes from a cache of the view, so an equal object costs no request at all.
const observed = await client.get(hashed, key)
try {
  const { reason, differences, writes } = await applyIfChanged(client, configMaps, desired, observed, content)
  console.log(`${reason}: ${writes.join(' ') || 'nothing was sent'}`)
  for (const { part } of differences) console.log(`differs in ${part}`)
} catch (error) {
  // The write carries the observed uid and version, so it overwrites nobody's change that came in between.
  if (!isWriteConflict(error)) throw error
  console.log('somebody else has changed it: observe it again')
}

await client.close()
