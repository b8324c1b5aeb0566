import { type Client, type FromServer, isForbidden } from '@wherry/client'
import { type Pod, pods } from '@wherry/client/resources/core'
import { type PodKey, podKey } from './pod.ts'

/** The state of a container, from which a reader knows whether its log goes on. */
export interface ContainerState {
  /** An identity of this run of the container: a restart has another one. `undefined` if the server does not report it. */
  readonly id: string | undefined
  readonly isRunning: boolean
}

/**
 * Reads the state of a container from its pod. `undefined` if the pod does not exist, `unknown` if the user may not read pods. A container without a status
 * counts as not running.
 */
export async function containerState(
  client: Client,
  pod: PodKey,
  container: string | undefined,
  signal: AbortSignal,
): Promise<ContainerState | 'unknown' | undefined> {
  const object = await readPod(client, pod, signal)
  if (object === 'unknown' || object === undefined) return object
  const { spec, status } = object
  const name = container ?? spec?.containers?.[0]?.name
  const all = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ]
  const found = all.find(one => one.name === name)
  return { id: found?.containerID, isRunning: found?.state?.running !== undefined }
}

async function readPod(
  client: Client,
  pod: PodKey,
  signal: AbortSignal,
): Promise<FromServer<Pod> | 'unknown' | undefined> {
  try {
    return await client.get(pods, podKey(client, pod), { signal })
  } catch (error) {
    if (isForbidden(error)) return 'unknown'
    throw error
  }
}
