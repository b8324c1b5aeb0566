import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client } from '@wherry/client'
import { leases } from '@wherry/client/resources/coordination'
import { choose, integer, type RealApiServer, seededRandom, startWire, type Wire } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { History, lease } from './testkit/history.ts'

/** Half a minute each: every trouble once. */
const first = Number(process.env.WHERRY_FIRST_SEED ?? 1)
const seeds = Array.from({ length: Number(process.env.WHERRY_SEEDS ?? 1) }, (_, i) => first + i)

const available = await realApiServerAvailable('leader election in processes')

/** Shorter than the defaults, so that a minute sees many terms; the time between deadline and lease is as long as for real. */
const times = { leaseMs: 8000, renewDeadlineMs: 3000, retryMs: 600 }
const waiting = { interval: 20 }
const child = new URL('./testkit/candidate.ts', import.meta.url).pathname
const fromSource = new URL('../../../../test/examples/from-source.ts', import.meta.url).href

interface Member {
  readonly identity: string
  readonly wire: Wire
  process: ChildProcess
  readonly said: string[]
}

describe.runIf(available)('leader election, in processes on a real API server', () => {
  let server: RealApiServer
  let client: Client
  const members: Member[] = []

  // Emptied for each seed: the writers are identified from the first write on.
  beforeEach(async () => {
    server = await sharedRealServer()
    client = new Client({ url: server.url, ca: server.ca, token: server.token })
  })

  afterEach(async () => {
    for (const { process, wire } of members.splice(0)) {
      await killed(process)
      await wire.close()
    }
    await client?.close()
  })

  async function start(identity: string, writers: number): Promise<Member> {
    const wire = await startWire({ target: { host: '127.0.0.1', port: Number(new URL(server.url).port) } })
    const said: string[] = []
    const options = {
      url: `https://127.0.0.1:${wire.port}`,
      ca: server.ca,
      token: server.token,
      identity,
      writers,
      ...times,
    }
    const started = spawn(process.execPath, ['--import', fromSource, child, JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    started.stdout.setEncoding('utf8').on('data', (text: string) => said.push(...text.trim().split('\n')))
    const member = { identity, wire, process: started, said }
    members.push(member)
    return member
  }

  const holder = async () => (await client.get(leases, lease))?.spec?.holderIdentity ?? ''

  it.for(seeds)(
    'C6: every write that the server accepts falls into its writer’s term, whatever becomes of the processes (seed %i)',
    async seed => {
      const history = new History(client)
      history.watch()
      const random = seededRandom(seed)
      const stopped = new Set<string>()
      const writers = choose(random, [1, 20])
      for (const name of ['a', 'b', 'c']) await start(name, writers)
      await vi.waitFor(async () => expect(await holder()).not.toBe(''), waiting)
      for (const [round, trouble] of ['stop', 'kill', 'cut', 'end'].entries()) {
        const victim = await vi.waitFor(async () => {
          const identity = await holder()
          return members.find(one => one.identity === identity) ?? expect.fail(`${identity} leads`)
        }, waiting)
        const held = victim.identity
        // In the midst of its writes, or before the first.
        const writes = history.accepted.length + integer(random, 0, 200)
        await vi.waitFor(() => expect(history.accepted.length).toBeGreaterThanOrEqual(writes), waiting)
        if (trouble === 'stop') {
          stopped.add(held)
          victim.process.kill('SIGSTOP')
        }
        if (trouble === 'kill') await killed(victim.process)
        if (trouble === 'cut') {
          victim.wire.freeze()
          await victim.wire.refuse(true)
        }
        if (trouble === 'end') victim.process.kill('SIGTERM')
        await vi.waitFor(async () => expect([held, '']).not.toContain(await holder()), waiting)
        if (trouble === 'stop') victim.process.kill('SIGCONT')
        if (trouble === 'cut') {
          // What a dead network holds is gone.
          victim.wire.reset()
          victim.wire.thaw()
          await victim.wire.refuse(false)
        }
        // It knows by itself that it no longer leads.
        if (trouble !== 'kill') {
          await vi.waitFor(() => expect(victim.said.at(-1)).toMatch(/^over (LEADERSHIP_LOST|ended)$/), waiting)
        }
        await killed(victim.process)
        await victim.wire.close()
        members.splice(members.indexOf(victim), 1)
        await start(`${choose(random, ['a', 'b', 'c'])}${round}`, writers)
      }
      history.end()
      const outOfTerm = history.outOfTerm()
      expect(outOfTerm.filter(({ by }) => !stopped.has(by))).toEqual([])
      // Node sends what a turn of its event loop asked for at the end of that turn. A process that is stopped in the midst of
      // one sends these requests when it goes on. No writer sends a second one.
      for (const held of stopped) {
        const late = outOfTerm.filter(({ by }) => by === held)
        expect(late.slice(writers), `more than one a writer, the first: ${late[0]?.what}`).toEqual([])
      }
      expect(history.accepted.filter(({ kind }) => kind === 'write').length).toBeGreaterThan(100)
    },
  )
})

async function killed(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return
  const exit = once(process, 'exit')
  process.kill('SIGKILL')
  await exit
}
