import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { Conditions } from '@wherry/crd'

/**
 * What the operator knows of NetObserv's resource: where it refers to certificates.
 *
 * @group flows.netobserv.io
 * @version v1beta2
 * @cluster
 */
export interface FlowCollector {
  metadata?: ObjectMeta
  spec?: {
    /**
     * Where the pods are that use the certificates.
     *
     * @default netobserv
     */
    namespace?: string
    /** Where flows are stored. */
    loki?: {
      /**
       * How Loki was installed. Only `Manual` refers to certificates.
       *
       * @default Monolithic
       */
      mode?: 'Manual' | 'LokiStack' | 'Monolithic' | 'Microservices'
      manual?: { tls?: ClientTls; statusTls?: ClientTls }
    }
    kafka?: Kafka
    exporters?: { type: 'Kafka' | 'IPFIX' | 'OpenTelemetry'; kafka?: Kafka }[]
  }
  status?: {
    /**
     * `CertificatesReady`: whether all certificates were found.
     */
    conditions?: Conditions
  }
}

interface Kafka {
  /** @default "" */
  address: string
  /** @default "" */
  topic: string
  tls?: ClientTls
}

interface ClientTls {
  /** @default false */
  enable?: boolean
  /**
   * Whether the server's certificate is not verified. Then the CA is not needed.
   *
   * @default false
   */
  insecureSkipVerify?: boolean
  /** The certificate of the CA. */
  caCert?: {
    type?: 'configmap' | 'secret'
    name?: string
    /**
     * The namespace of the ConfigMap or Secret. Empty for that of the pods.
     *
     * @default ""
     */
    namespace?: string
    /** The name of the file in the ConfigMap or Secret. */
    certFile?: string
  }
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
