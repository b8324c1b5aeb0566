/**
 * Events: what `kubectl describe` shows below an object, written by a program.
 *
 * It shows `EventRecorder` of @wherry/controller. Use it to show the users of an object what a program did, or could not
 * do. A reconcile has a recorder already: `events.record({ reason, message })`.
 *
 *     node examples/small/events.ts && kubectl describe configmap opening-hours
 */
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { EventRecorder } from '@wherry/controller'

const client = await Client.connect({ environment: { onError: error => console.error(error.message) } })

// The object that the events are about.
const hours = await client.apply(
  configMaps,
  { metadata: { namespace: 'default', name: 'opening-hours' }, data: { monday: '10-22' } },
  { fieldManager: 'example-events' },
)

// The name of the program that records: it is a part of every event.
const events = new EventRecorder({ client, controller: 'example.com/hours' })

// `record` neither waits nor throws: an event is for people, and no work should fail for want of it.
events.record(configMaps, hours, { reason: 'Opened', message: 'the hours of monday are set' })
events.record(configMaps, hours, { type: 'Warning', reason: 'NoHours', message: 'sunday has no hours' })

// An equal event is not written a second time. The first one gets the count 2.
events.record(configMaps, hours, { type: 'Warning', reason: 'NoHours', message: 'sunday has no hours' })

await events.close() // sends what waits, for five seconds at most
console.log('recorded')
await client.close()
