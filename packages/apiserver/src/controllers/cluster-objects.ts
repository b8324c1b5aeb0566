import { copyJson, type JsonObject, objectAt, sameJson, stringAt } from '@wherry/cel/internal'
import { systemPriorities } from '../builtin/pod-classes.ts'
import type { Clock } from '../clock.ts'
import type { Registry } from '../definitions/registry.ts'
import type { KubeObject } from '../objects/object.ts'
import { materialise } from '../objects/stored.ts'
import { timestamp } from '../objects/timestamp.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { StatusError } from '../status.ts'
import { objectKey, type Store } from '../store/store.ts'
import type { Version } from '../store/version.ts'
import type { Writer } from '../write/writer.ts'
import { Work } from './work.ts'

/** A PriorityClass of every cluster. */
const priorityClass = (name: keyof typeof systemPriorities, description: string): KubeObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value: systemPriorities[name],
  description,
  preemptionPolicy: 'PreemptLowerPriority',
})

const priorityClasses: readonly KubeObject[] = [
  priorityClass(
    'system-cluster-critical',
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ),
  priorityClass(
    'system-node-critical',
    'Used for system critical pods that must not be moved from their current node.',
  ),
]

/** The Service by which Pods reach the API server. */
function kubernetesService(port: number): KubeObject {
  const labels = { component: 'apiserver', provider: 'kubernetes' }
  const ports = [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }]
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels },
    spec: { type: 'ClusterIP', clusterIP: '10.0.0.1', ipFamilyPolicy: 'SingleStack', ports },
  }
}

const configMap = (namespace: string, name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
})

/** The address of the server. */
export interface ServerAddress {
  readonly port: number
  /** The CA of the server's certificate and of its clients' certificates, PEM; '' without TLS. */
  readonly ca: string
}

/**
 * Keeps the objects that every cluster has. The API server itself creates the Service `kubernetes`, the PriorityClasses of the system, the certificate
 * authority by which extension API servers verify their clients, and the day since which it tracks tokens of Secrets. Controllers create in each namespace the
 * ServiceAccount `default` and the CA of the server.
 */
export class ClusterObjects {
  readonly #store: Store
  readonly #registry: Registry
  readonly #writer: Writer
  readonly #clock: Clock
  readonly #namespaces: ResourceType
  readonly #work: Work | undefined
  #address: ServerAddress = { port: 6443, ca: '' }

  /** If `delayMs` is undefined, the objects of namespaces are not created, as without a controller manager. */
  constructor(store: Store, registry: Registry, writer: Writer, clock: Clock, delayMs: number | undefined) {
    this.#store = store
    this.#registry = registry
    this.#writer = writer
    this.#clock = clock
    this.#namespaces = registry.resolve('', 'v1', 'namespaces')
    if (delayMs === undefined) return
    const work = new Work(clock, delayMs, namespace => this.#complete(namespace))
    this.#work = work
    store.onCommit(({ group, plural }, { type, name, namespace }) => {
      if (group !== '') return
      if (plural === 'namespaces' && type === 'ADDED') work.add(name)
      if (plural === 'serviceaccounts' && name === 'default' && type === 'DELETED') work.add(namespace)
      if (plural === 'configmaps' && name === rootCa && type !== 'ADDED') work.add(namespace)
    })
  }

  /** Creates the objects that exist from the start. */
  start(address: ServerAddress): void {
    this.#address = address
    for (const object of priorityClasses) this.#create(object)
    this.#create(kubernetesService(address.port))
    this.#create(configMap('kube-system', 'extension-apiserver-authentication', { 'client-ca-file': address.ca }))
    const [since = ''] = timestamp(this.#clock.now()).split('T')
    this.#create(configMap('kube-system', 'kube-apiserver-legacy-service-account-token-tracking', { since }))
    if (this.#work === undefined) return
    for (const { name } of this.#store.collection(this.#namespaces).snapshot('')) this.#complete(name)
  }

  /** Creates the objects that each namespace has, unless the namespace is being deleted. */
  #complete(namespace: string): void {
    const found = this.#store.collection(this.#namespaces).get(namespace)
    if (found === undefined || found.terminating) return
    this.#create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } })
    const authority = configMap(namespace, rootCa, { 'ca.crt': this.#address.ca })
    const known = this.#create({ ...authority, metadata: { ...authority.metadata, annotations: rootCaAnnotations } })
    if (known !== undefined) this.#correct(known, authority)
  }

  /** Creates an object. Returns the existing object of its name, if there is one. */
  #create(object: KubeObject): Version | undefined {
    const { type, found } = this.#find(object)
    if (found !== undefined) return found
    this.#writer.createOwn(type, copyJson(object as JsonObject) as KubeObject)
    return undefined
  }

  /** Restores the data that a user changed, and the annotation that a user removed. */
  #correct(version: Version, { apiVersion, kind, data }: KubeObject): void {
    const object = materialise(version, apiVersion, kind)
    const annotations = objectAt(object.metadata, 'annotations') ?? {}
    if (sameJson(object.data, data) && (stringAt(annotations, rootCaAnnotation) ?? '') !== '') return
    const metadata = { ...object.metadata, annotations: { ...annotations, ...rootCaAnnotations } }
    const next = { ...object, metadata, data } as KubeObject
    const { type } = this.#find(object)
    try {
      this.#writer.update(type, { version, object }, next, 'all', { dryRun: false, viaPatch: true })
    } catch (error) {
      // A user may have made the object immutable. A real server's controller fails in the same way.
      if (!(error instanceof StatusError)) throw error
    }
  }

  #find({ apiVersion, kind, metadata: { namespace = '', name = '' } }: KubeObject): {
    type: ResourceType
    found: Version | undefined
  } {
    const type = this.#registry.findKind(apiVersion, kind) as ResourceType
    return { type, found: this.#store.collection(type).get(objectKey(namespace, name)) }
  }
}

const rootCa = 'kube-root-ca.crt'
const rootCaAnnotation = 'kubernetes.io/description'
const rootCaAnnotations = {
  [rootCaAnnotation]:
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or ' +
    'kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
}
