import type { EmbeddedApiServer } from '../api-server.ts'
import type { FaultHandle } from '../faults/faults.ts'
import { startInProcess } from '../in-process.ts'
import type { AnswerMessage, CallMessage, Calls } from './messages.ts'
import { packError } from './packed-error.ts'

/*
 * The process of an isolated server: it is started by `isolated.ts`, answers its calls, and ends
 * when its parent closes the channel or dies.
 */

let started: EmbeddedApiServer | undefined
const faults = new Map<number, FaultHandle>()
let lastFault = 0

function server(): EmbeddedApiServer {
  if (started === undefined) throw new Error('the server has not started')
  return started
}

function fault(id: number): FaultHandle {
  const handle = faults.get(id)
  if (handle === undefined) throw new RangeError(`no fault ${id}`)
  return handle
}

const calls: Calls = {
  async start(options) {
    started = await startInProcess(options)
    const { url, ca, token, kubeconfig } = started
    return { url, ca, token, kubeconfig }
  },
  writeKubeconfig: path => server().writeKubeconfig(path),
  clientCertificate: subject => server().clientCertificate(subject),
  stats: () => server().stats(),
  account: (grants, options) => server().account(grants, options),
  rights: () => server().rights(),
  usedRights: user => server().usedRights(user),
  resetRights: () => server().resetRights(),
  resetStats: () => server().resetStats(),
  fill: source => server().fill(source),
  revision: () => server().revision(),
  compact: revision => server().compact(revision),
  expireWatchCaches: () => server().expireWatchCaches(),
  restart: () => server().restart(),
  restoreEtcd: revision => server().restoreEtcd(revision),
  endWatches: resource => server().endWatches(resource),
  refuse: on => server().refuse(on),
  goawayAll: () => server().goawayAll(),
  breakConnections: () => server().breakConnections(),
  close: async () => started?.close(),
  async addFault(rule) {
    const handle = await server().faults.add(rule)
    faults.set(++lastFault, handle)
    return lastFault
  },
  removeFault: id => fault(id).remove(),
  faultHits: id => fault(id).hits(),
  clearFaults: () => server().faults.clear(),
}

async function answer({ id, method, args }: CallMessage): Promise<AnswerMessage> {
  try {
    const call = calls[method] as (...args: readonly unknown[]) => Promise<unknown>
    return { id, value: await call(...args) }
  } catch (error) {
    return { id, error: packError(error) }
  }
}

process.on('message', (message: CallMessage) => {
  void answer(message).then(result => {
    // The parent may have ended by now. Then this process is about to end, too.
    if (process.connected) process.send?.(result, undefined, undefined, () => {})
  })
})
process.on('disconnect', () => process.exit())
// A terminal's Ctrl-C and hang-up reach every process of the group, but only the parent decides when to end.
process.on('SIGINT', () => {})
process.on('SIGHUP', () => {})
