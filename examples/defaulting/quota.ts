import { configMaps } from '@wherry/client/resources/core'
import type { Webhooks } from '@wherry/webhook'
import { notices } from './notice.ts'

/** The ConfigMap in the operator's namespace that says how many notices each namespace may have: `team-a: "2"`. */
export const quotaName = 'notice-quota'

/**
 * Refuses a notice beyond the quota of its namespace. This needs how many notices there are, which is in no object that a rule or a policy sees. The
 * operator has that in its cache, as it has the quota, so nothing is asked of the API server.
 *
 * @param ownNamespace where the quota is: users of other namespaces can't raise theirs
 */
export function limitByQuota(webhooks: Webhooks, ownNamespace: string): void {
  // No other ConfigMap is received.
  const quotas = configMaps.within({ namespaces: [ownNamespace], fields: { 'metadata.name': quotaName } })
  webhooks
    .webhook('quota')
    .for(notices, { operations: ['CREATE'] })
    .reads(quotas)
    .reads(notices)
    .validate(async ({ namespace = '', read, deny, warn }) => {
      const quota = await read.get(quotas, { name: quotaName, namespace: ownNamespace })
      const wanted = quota?.data?.[namespace]
      if (wanted === undefined) return
      const most = Number(wanted)
      if (!/^\d+$/.test(wanted)) {
        // No writer is refused for a mistake of others, and each writer sees it.
        warn(`the quota of ${namespace} limits nothing: ${JSON.stringify(wanted)} is no number`)
        return
      }
      const { length } = await read.list(notices, { namespace })
      if (length >= most) deny(`the quota of ${namespace} is ${most} notices, and it has ${length}`)
    })
}
