/**
 * One of the demo's operators, the whole of its process. Its parent sends it what to run as, and it reports to its parent what
 * it does: see `Reported`.
 */
import { subscribe } from 'node:diagnostics_channel'
import { type Memory, memoryNow, settledMemory } from './memory.ts'
import type { Address, Mode, ModeName, Surroundings } from './mode.ts'
import { reconcile } from './reconcile.ts'

/** What its parent sends: first how to start, then at times how it stands, and the end. */
export type Order =
  | { readonly type: 'start'; readonly mode: ModeName; readonly address: Address; readonly namespace: string }
  | { readonly type: 'measure' }
  | { readonly type: 'stop' }

/** What it reports to its parent. Times are milliseconds since 1970, with fractions. */
export type Reported =
  | { readonly type: 'started' }
  | { readonly type: 'reconciled'; readonly digest: string; readonly at: number }
  | { readonly type: 'memory'; readonly at: number; readonly rss: number }
  | { readonly type: 'measured'; readonly memory: Memory; readonly requests: number }
  | { readonly type: 'failed'; readonly message: string }

const SAMPLE_MS = 100

/** Requests by whatever client: each of Node's reports them in its own way. */
let requests = 0
for (const channel of ['http2.client.stream.start', 'http.client.request.start', 'undici:request:create']) {
  subscribe(channel, () => {
    requests += 1
  })
}

const report = (reported: Reported): void => {
  process.send?.(reported)
}
const now = (): number => performance.timeOrigin + performance.now()
const failed = (error: unknown): void => report({ type: 'failed', message: (error as Error)?.message ?? `${error}` })

/** Ends when its parent has received why. */
function giveUp(error: unknown): void {
  const reported: Reported = { type: 'failed', message: (error as Error)?.message ?? `${error}` }
  process.send?.(reported, () => process.disconnect())
}

let end: (() => Promise<void>) | undefined

async function start(order: Order & { readonly type: 'start' }): Promise<void> {
  setInterval(() => report({ type: 'memory', at: now(), rss: memoryNow() }), SAMPLE_MS).unref()
  const mode = (await import(`./modes/${order.mode}.ts`)) as Mode
  const around: Surroundings = {
    address: order.address,
    namespace: order.namespace,
    onError: failed,
    async reconcile(game, world) {
      const digest = await reconcile(game, world)
      report({ type: 'reconciled', digest, at: now() })
    },
  }
  end = await mode.start(around)
  report({ type: 'started' })
}

async function stop(): Promise<void> {
  await end?.()
  process.disconnect()
}

process.on('message', (order: Order) => {
  if (order.type === 'start') start(order).catch(giveUp)
  else if (order.type === 'measure') report({ type: 'measured', memory: settledMemory(), requests })
  else stop().catch(giveUp)
})
// If its parent is gone it goes too, however that ended.
process.on('disconnect', () => process.exit())
// Ctrl-C in a terminal reaches the whole group: the parent decides, and says so.
process.on('SIGINT', () => undefined)
