import { CoreV1Api } from '@kubernetes/client-node'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { microsecondsPerCall } from '../../harness/calls.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { someKey } from './some-key.ts'

/** The official client, as it is used. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const api = kubeConfigFor(context.server()).makeApiClient(CoreV1Api)
  const { namespace, name } = someKey()
  const call = (): Promise<unknown> => api.readNamespacedConfigMap({ namespace, name })
  const get_us = await microsecondsPerCall(call, 1)
  const get50_us = await microsecondsPerCall(call, 50)
  return { get_us, get50_us }
}
