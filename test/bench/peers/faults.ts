import { setTimeout as after } from 'node:timers/promises'
import type { ControlledApiServer, FaultEffect } from '@wherry/testing'

/** What happens to a program, by its words in the table. Resolves when the server serves again. @param resource the one that the fault hits */
export const faults: Readonly<Record<string, (server: ControlledApiServer, resource: string) => Promise<unknown>>> = {
  'all connections break': server => server.breakConnections(),
  'a 410 of the watch': (server, resource) => nextWatch(server, resource, { kind: 'expired' }),
  '429 for 15 s': async (server, resource) => {
    const fault = await server.faults.add({ match: { resource }, effect: { kind: 'status', code: 429 } })
    await server.breakConnections()
    await after(15_000)
    await fault.remove()
  },
  'a 500 of the watch': (server, resource) => nextWatch(server, resource, { kind: 'status', code: 500 }),
  'a restart of the server': server => server.restart(),
}

async function nextWatch(server: ControlledApiServer, resource: string, effect: FaultEffect): Promise<void> {
  await server.faults.add({ match: { verb: 'watch', resource }, times: 1, effect })
  await server.endWatches(resource)
}
