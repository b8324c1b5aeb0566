/**
 * A leader: of all processes that run this file, one works, and another takes over when it ends.
 *
 * It shows `LeaderElection` of @wherry/controller. Use it if a program runs in several replicas and only one may write.
 * An operator needs none of this: `new Operator({ name, leader: true })` does it.
 *
 *     node examples/small/leader.ts   # in two terminals; press Ctrl-C in the one that leads
 */
import { setInterval } from 'node:timers/promises'
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { LeaderElection } from '@wherry/controller'

const client = await Client.connect({ environment: { onError: error => console.error(error.message) } })
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())

const election = new LeaderElection({
  client,
  name: 'example-leader', // of the Lease that all candidates share
  namespace: 'default',
  onNewLeader: identity => console.log(identity === election.identity ? 'I lead' : `${identity || 'nobody'} leads`),
})

// Waits for the lease, then calls `lead`. If the lease is lost, it rejects with a LeadershipLostError: let the process
// end then, and be started again.
await election.run({
  signal: stop.signal, // when it aborts, `lead` is asked to end, and the lease is released for the next one
  // Write only by the client that is given: it sends nothing once the lease may be another's.
  lead: async ({ client, signal }) => {
    const seat = { metadata: { namespace: 'default', name: 'seat' }, data: { holder: election.identity } }
    try {
      for await (const _ of setInterval(1_000, undefined, { signal })) {
        await client.apply(configMaps, seat, { fieldManager: 'example-leader', force: true, signal })
        console.log('working')
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  },
})

console.log('released')
await client.close()
