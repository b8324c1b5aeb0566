import { configMaps, secrets } from '@wherry/client/resources/core'
import type { Operator, Read } from '@wherry/controller'
import { type CaReference, caReferences, flowCollectors, homeOf } from './flow-collector.ts'

/** The ConfigMaps that the operator makes. */
const ours = configMaps.within({ labels: { 'app.kubernetes.io/managed-by': 'secret-reference' } })

/**
 * Gathers the CA certificates that a FlowCollector refers to, from ConfigMaps and Secrets of any namespace, in one ConfigMap
 * beside its pods, and says in a condition what is missing.
 *
 * @param informers caches all ConfigMaps and all Secrets of the cluster, as operators commonly do. The code is the same; what it
 * costs is not.
 */
export function declareFlowCollectors(operator: Operator, { informers = false }: { informers?: boolean } = {}): void {
  const controller = operator.controller('flowcollector').for(flowCollectors).owns(ours)
  if (informers) controller.caches(configMaps).caches(secrets)
  controller.reconcile(async ({ object: collector, key, read, apply, status }) => {
    const bundle: Record<string, string> = {}
    const missing: string[] = []
    for (const reference of caReferences(collector)) {
      const { use, type, namespace, name, file } = reference
      const certificate = await readFile(read, reference)
      if (certificate === null) missing.push(`${file} of ${type} ${namespace}/${name} for ${use}`)
      else bundle[`${use}.crt`] = certificate
    }
    await apply(ours, { metadata: { namespace: homeOf(collector), name: `${key.name}-ca` }, data: bundle })
    const ready =
      missing.length === 0
        ? { status: 'True' as const, reason: 'AllFound', message: 'all are there' }
        : { status: 'False' as const, reason: 'Missing', message: `missing: ${missing.join(', ')}` }
    await status({ conditions: [{ type: 'CertificatesReady', ...ready }] })
  })
}

/**
 * Reads one file; `null` where it is not there. That file is all that is tracked: whatever else changes in the object makes nothing
 * run.
 */
async function readFile(read: Read, { type, namespace, name, file }: CaReference): Promise<string | null> {
  const select = ({ data }: { data?: Record<string, string> | null | undefined }): string | null => data?.[file] ?? null
  if (type === 'configmap') return (await read.get(configMaps, { namespace, name }, { select })) ?? null
  const encoded = await read.get(secrets, { namespace, name }, { select })
  return encoded == null ? null : Buffer.from(encoded, 'base64').toString('utf8')
}
