/*
 * A candidate in a process of its own, for tests that stop, kill and cut off processes. While it leads it writes as fast as it may,
 * and heeds nothing but what its client says. It says what it does on stdout, a line each.
 *
 * argv: JSON of { url, ca, token, identity, writers, leaseMs, renewDeadlineMs, retryMs }; `writers` is how many write at once
 */
import { Client } from '@wherry/client'
import { systemEnvironment } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { LeaderElection } from '../leader-election.ts'
import type { Term } from '../term.ts'
import { lease } from './history.ts'

const { url, ca, token, identity, writers, ...times } = JSON.parse(process.argv[2] ?? '{}')
const client = new Client({ url, ca, token, environment: systemEnvironment(), timeoutMs: 2000 })
const stop = new AbortController()
process.on('SIGTERM', () => stop.abort(new Error('SIGTERM')))
// Its parent is gone.
process.stdin.resume().on('end', () => process.exit(2))

let count = 0
async function write(term: Term): Promise<void> {
  while (!stop.signal.aborted) {
    const metadata = { name: `${identity}-${++count}`, namespace: lease.namespace }
    try {
      await term.client.create(configMaps, { metadata, data: { by: identity, term: `${term.transitions}` } })
    } catch (error) {
      if ((error as { code?: string }).code === 'LEADERSHIP_LOST') return
    }
    await client.environment.clock.turn()
  }
}

const election = new LeaderElection({ client, ...lease, identity, ...times })
const ended = await election
  .run({
    signal: stop.signal,
    lead: async term => {
      process.stdout.write(`leads ${term.transitions}\n`)
      await Promise.all(Array.from({ length: writers }, () => write(term)))
    },
  })
  .then(
    () => 'ended',
    error => error.code,
  )
process.stdout.write(`over ${ended}\n`)
await client.close()
process.exit(0)
