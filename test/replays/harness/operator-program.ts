/** An operator of a replay, as a process of its own. Says `ready` when it holds all that it will, and `settled` when it has collected its garbage. */
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from '@wherry/client'
import { Operator } from '@wherry/controller'
import { collect } from '../../bench/harness/memory.ts'
import { memoryReplays } from '../index.ts'

const { REPLAY = '', REPLAY_WAY, REPLAY_RUNS, REPLAY_URL = '', REPLAY_CA, REPLAY_TOKEN } = process.env
const replay = await memoryReplays[REPLAY]?.()
const way = replay?.ways.find(({ name }) => name === REPLAY_WAY)
if (way === undefined) throw new Error(`there is no way ${REPLAY_WAY} of ${REPLAY}`)

const client = new Client({ url: REPLAY_URL, ca: REPLAY_CA, token: REPLAY_TOKEN })
const operator = new Operator({ name: 'replay', client })
way.declare(operator)

const keys = new Set<string>()
const reading = (async () => {
  for await (const { key, outcome, tookMs } of operator.runs()) {
    // A Secret's name that no Certificate has is no failure.
    if (outcome === 'gone') continue
    if (outcome !== 'success') throw new Error(`a run ended as ${outcome}`)
    if (keys.size === 0) console.log(`first_ms ${tookMs}`)
    keys.add(key)
  }
})()
const running = operator.run()
const isReady = (): boolean =>
  operator.state === 'running' &&
  keys.size >= Number(REPLAY_RUNS) &&
  operator.report().informers.every(({ synced }) => synced)
while (!isReady()) await Promise.race([wait(20), reading, running])
console.log('ready')
await wait(1000)
collect()
console.log('settled')
if (way.oneGet) {
  // The first of this process, as the reconcile was: neither has run before.
  const begun = performance.now()
  await way.oneGet(client)
  console.log(`get_ms ${performance.now() - begun}`)
}
await running
