import type { Member, RingOfMembers } from './ring-of-members.ts'

/** Does something bad to a member, or to all of them, for some milliseconds. */
type Trouble = (ring: RingOfMembers, victim: Member, ms: number) => Promise<void>

export const troubles: readonly Trouble[] = [
  async (_, { stop }) => stop(),
  async (_, { process, network }) => {
    process.kill()
    for (const connection of network.controls.connections()) network.controls.kill(connection)
  },
  // A stopped process: its timers and its answers come late, and in any order.
  async ({ simulation }, { process }, ms) => {
    process.pause()
    simulation.clock.timer(ms, () => process.resume())
  },
  // A partition that breaks open connections.
  async ({ simulation }, { network }, ms) => {
    network.controls.hang(true)
    for (const connection of network.controls.connections()) network.controls.kill(connection)
    simulation.clock.timer(ms, () => network.controls.hang(false))
  },
  // A request that is late by less than the rest of the lease.
  async ({ simulation }, { network }, ms) => {
    const frozen = network.controls.connections()
    for (const connection of frozen) network.controls.freeze(connection)
    simulation.clock.timer(Math.min(ms, 15_000), () => {
      for (const connection of frozen) network.controls.thaw(connection)
    })
  },
  async (_, { network }, ms) => network.controls.setFaults(ms % 2 === 0 ? { kill: 0.1, refuse: 0.2 } : { goaway: 0.3 }),
  // Answers to writes are lost, those to releases too.
  async ({ server }, _, ms) => {
    const match = { verb: 'patch', resource: 'games.arcade.example.com' }
    await server.faults.add({ match, times: 1 + (ms % 5), effect: { kind: 'drop', after: true } })
  },
  // Watches are late.
  async ({ server }, _, ms) => {
    const match = { verb: 'watch', resource: 'games.arcade.example.com' }
    await server.faults.add({ match, times: 1 + (ms % 4), effect: { kind: 'slow', bytesPerSecond: 200 } })
    await server.endWatches('games')
  },
]

/** Ends what was done to a member. */
export function heal({ process, network }: Member): void {
  process.resume()
  network.controls.hang(false)
  network.controls.setFaults({})
}
