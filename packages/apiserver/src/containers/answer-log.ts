import type { Clock } from '../clock.ts'
import type { KubeObject } from '../objects/object.ts'
import type { Responder } from '../responder.ts'
import { StatusError } from '../status.ts'
import { checkHasLog, containerOf, isOnNode } from './container-of.ts'
import type { ContainerHandlers } from './handlers.ts'
import { askedLog, sendLog } from './log.ts'

/** Sends the log of a pod's container, or an empty log if there is no handler for logs. Throws the server's refusals. */
export function answerLog(
  { containers, clock }: { readonly containers: ContainerHandlers; readonly clock: Clock },
  pod: KubeObject,
  query: URLSearchParams,
  responder: Responder,
): void {
  const container = containerOf(pod, query.get('container'))
  const { log } = containers
  if (log === undefined || !isOnNode(pod)) return responder.empty()
  const asked = askedLog(query, clock.now())
  checkHasLog(pod, container, asked.previous)
  const { name = '', namespace = '' } = pod.metadata
  sendLog(responder, { namespace, pod: name, container }, asked, log, clock).catch((error: unknown) => {
    // The handler threw. If half of the log was sent already, the answer is broken off.
    responder.refuse(StatusError.internal(error instanceof Error ? error.message : String(error)))
  })
}
