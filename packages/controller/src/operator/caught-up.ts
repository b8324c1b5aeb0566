import type { Client } from '@wherry/client'
import type { SharedInformer } from '@wherry/informer'
import { serverDifference } from '../reads/server-difference.ts'

/** Whether an informer has what the server has. Asks the server for the metadata of all objects of the view. */
export async function hasCaughtUp(
  client: Client,
  informer: SharedInformer<unknown>,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await serverDifference(client, informer, signal)
  return found === undefined || (informer.hasSynced && found.newer.length === 0 && found.gone.length === 0)
}
