import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { Condition } from '@wherry/controller'

/** What the operator knows of NetObserv's resource: where it refers to certificates. */
export interface FlowCollector {
  metadata?: ObjectMeta
  spec?: {
    /** Where the pods are that use the certificates. */
    namespace?: string
    loki?: { mode?: string; manual?: { tls?: ClientTls; statusTls?: ClientTls } }
    kafka?: { address: string; topic: string; tls?: ClientTls }
    exporters?: { type: string; kafka?: { address: string; topic: string; tls?: ClientTls } }[]
  }
  status?: { conditions?: Condition[] }
}

interface ClientTls {
  enable?: boolean
  insecureSkipVerify?: boolean
  caCert?: { type?: 'configmap' | 'secret'; name?: string; namespace?: string; certFile?: string }
}

export const flowCollectors: Resource<FlowCollector, 'cluster'> = defineResource<FlowCollector>({
  group: 'flows.netobserv.io',
  version: 'v1beta2',
  kind: 'FlowCollector',
  plural: 'flowcollectors',
  namespaced: false,
})

/** Where its pods are. */
export function homeOf({ spec }: FlowCollector): string {
  return spec?.namespace ?? 'netobserv'
}

/** A file of a ConfigMap or a Secret that holds a CA certificate. */
export interface CaReference {
  /** For what it is: `loki`. */
  readonly use: string
  readonly type: 'configmap' | 'secret'
  readonly namespace: string
  readonly name: string
  readonly file: string
}

/** All CA certificates that it refers to. */
export function caReferences(collector: FlowCollector): CaReference[] {
  const { loki, kafka, exporters = [] } = collector.spec ?? {}
  const manual = loki?.mode === 'Manual' ? loki.manual : undefined
  const uses: [use: string, tls: ClientTls | undefined][] = [
    ['loki', manual?.tls],
    ['loki-status', manual?.statusTls],
    ['kafka', kafka?.tls],
    ...exporters.map((exporter, index): [string, ClientTls | undefined] => [`exporter-${index}`, exporter.kafka?.tls]),
  ]
  return uses.flatMap(([use, tls]) => {
    const { type = 'configmap', name, namespace, certFile = 'ca.crt' } = tls?.caCert ?? {}
    if (!name || !tls?.enable || tls.insecureSkipVerify) return []
    return [{ use, type, name, namespace: namespace || homeOf(collector), file: certFile }]
  })
}
