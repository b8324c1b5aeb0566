import { setTimeout as after } from 'node:timers/promises'
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { startApiServer } from '@wherry/testing'
import type { LookingKeeper } from './apply.ts'
import { SOURCES } from './fill-source.ts'
import { sources, type Wants } from './measure.ts'

const ROUNDS = 5
const EVENTS = 2000
const AT_ONCE = 100

/**
 * Microseconds of processor time for the event of one copy that is as it should be: what a round of 2,000 changes by hand costs this process
 * with a keeper, above what it costs without one. The median of five rounds. The server is a process of its own.
 */
export async function eventCost(
  copies: number,
  start: (client: Client, wants: Wants) => LookingKeeper,
): Promise<number> {
  const namespaces = copies / SOURCES
  await using server = await startApiServer({ isolate: true, clusterObjects: false })
  await server.fill({
    module: new URL('./fill-source.ts', import.meta.url).href,
    export: 'fillSource',
    args: [namespaces],
  })
  const { url, ca, token } = server
  const client = new Client({ url, ca, token })
  const hand = new Client({ url, ca, token })
  const names = (await hand.list(sources)).items.map(({ metadata }) => `${metadata?.name}`)
  const keys = Array.from({ length: copies }, (_, i) => ({
    namespace: `tenant-${Math.floor(i / SOURCES)}`,
    name: names[i % SOURCES] as string,
  }))
  const keeper = start(client, 'tenant')
  try {
    await keeper.settled()
    const withKeeper = await median(hand, keys, keeper)
    await keeper.close()
    return withKeeper - (await median(hand, keys))
  } finally {
    await keeper.close()
    await client.close()
    await hand.close()
  }
}

interface Key {
  readonly namespace: string
  readonly name: string
}

/** The processor time for one change of a copy, and, with a keeper, until it has looked at that copy. */
async function median(hand: Client, keys: readonly Key[], keeper?: LookingKeeper): Promise<number> {
  const costs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const begin = process.cpuUsage()
    for (let event = 0; event < EVENTS; event += AT_ONCE) {
      const looks = keeper?.looks() ?? 0
      const note = `${round} ${event}`
      const changes = Array.from({ length: AT_ONCE }, (_, i) => {
        const key = keys[((event + i) * 7919) % keys.length] as Key
        return hand.patch(configMaps, key, { metadata: { annotations: { note } } })
      })
      await Promise.all(changes)
      while (keeper !== undefined && keeper.looks() - looks < AT_ONCE) await after(1)
    }
    const { user, system } = process.cpuUsage(begin)
    costs.push((user + system) / EVENTS)
  }
  return costs.sort((a, b) => a - b)[ROUNDS >> 1] as number
}
