import { type Pod, pods } from '@wherry/client/resources/core'
import type { Operator } from '@wherry/controller'

/** A pod that failed. A pod can be reported twice, if it could not be deleted after its report: `uid` is the same then. */
export interface Failure {
  readonly pod: string
  readonly uid: string
  /** `OOMKilled` or `Error` of its container, `Evicted` of the whole pod. */
  readonly reason: string
  /** Of the container that failed first in the list, if one did. */
  readonly exitCode: number | undefined
}

export interface SupervisorOptions {
  /** The namespace of the pods that run tasks. They have the label `app=task-run`. */
  readonly namespace: string
  /** From so many pods on, no more may be started … */
  readonly most: number
  /** … until there are no more than so many. */
  readonly fewest: number
  /** Rejects if the report did not arrive. It is sent again then, later and later, and the pod stays until it has arrived. */
  readonly report: (failure: Failure, signal: AbortSignal) => Promise<void>
}

/** Whether more pods may be started: false until all pods are known. Costs no request. */
export type Gate = () => boolean

/** Reports pods that failed, deletes those that ended, and returns the gate. */
export function declareSupervisor(operator: Operator, options: SupervisorOptions): Gate {
  const { namespace, most, fewest, report } = options
  if (!(fewest < most)) throw new RangeError(`fewest must be less than most (${most}), not ${fewest}`)
  const tasks = pods.within({ namespaces: [namespace], labels: { app: 'task-run' } }).project('task', taskOf)
  operator
    .controller('task', { concurrency: 8 })
    .for(tasks)
    .withPredicates(({ object: { ended } }) => ended !== undefined)
    .reconcile(async ({ object: { ended }, key, client, signal, log }) => {
      if (ended === undefined) return
      const { phase, uid, reason, exitCode } = ended
      if (phase === 'Failed') await report({ pod: key.name, uid, reason, exitCode }, signal)
      // Not another pod that has the name by now.
      await client.delete(pods, key, { preconditions: { uid } })
      log.info({ phase, ...(phase === 'Failed' && { reason, exitCode }) }, 'a pod has ended')
    })
  // The one of the controller: there is no other watch.
  let informer: { readonly hasSynced: boolean; readonly size: number } | undefined
  let isHeld = false
  return () => {
    informer ??= operator.cache.informer(tasks)
    if (informer.size >= most) isHeld = true
    else if (informer.size <= fewest) isHeld = false
    return informer.hasSynced && !isHeld
  }
}

/** Keeps of a pod its name, and how it ended, unless it is being deleted already. */
function taskOf({ metadata, status }: Pod) {
  const { name = '', namespace = '', uid = '', deletionTimestamp } = metadata ?? {}
  const task = { metadata: { name, namespace }, ended: undefined }
  const phase = status?.phase
  if ((phase !== 'Failed' && phase !== 'Succeeded') || deletionTimestamp !== undefined) return task
  const all = status?.containerStatuses?.map(({ state }) => state?.terminated)
  const terminated = all?.find(one => one !== undefined && one.exitCode !== 0)
  const reason = status?.reason ?? terminated?.reason ?? 'Unknown'
  return { ...task, ended: { phase, uid, reason, exitCode: terminated?.exitCode } }
}
