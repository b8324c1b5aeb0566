import { type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { Clock } from '../clock.ts'
import type { Registry } from '../definitions/registry.ts'
import type { KubeObject } from '../objects/object.ts'
import { materialise } from '../objects/stored.ts'
import { timestamp } from '../objects/timestamp.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { objectKey, type Store } from '../store/store.ts'
import type { Writer } from '../write/writer.ts'
import { Work } from './work.ts'

/** The reason for which the server of an APIService is not reachable. */
interface Unavailable {
  readonly reason: string
  readonly message: string
}

/**
 * Writes into each APIService with a Service that it is not available, with the reason that the Service and its EndpointSlices show. This server has no network
 * to Services, so no such APIService is ever available.
 */
export class ApiServiceAvailability {
  readonly #store: Store
  readonly #writer: Writer
  readonly #clock: Clock
  readonly #apiServices: ResourceType
  readonly #services: ResourceType
  readonly #slices: ResourceType
  readonly #work: Work

  constructor(store: Store, registry: Registry, writer: Writer, clock: Clock, delayMs: number) {
    this.#store = store
    this.#writer = writer
    this.#clock = clock
    this.#apiServices = registry.resolve('apiregistration.k8s.io', 'v1', 'apiservices')
    this.#services = registry.resolve('', 'v1', 'services')
    this.#slices = registry.resolve('discovery.k8s.io', 'v1', 'endpointslices')
    this.#work = new Work(clock, delayMs, key => this.#look(key))
    store.onCommit(({ group, plural }, { key, type }) => {
      if (group === 'apiregistration.k8s.io') {
        if (type !== 'DELETED') this.#work.add(key)
      } else if ((group === '' && plural === 'services') || plural === 'endpointslices') {
        for (const { key: affected } of store.collection(this.#apiServices).snapshot('')) this.#work.add(affected)
      }
    })
  }

  #look(key: string): void {
    const type = this.#apiServices
    const version = this.#store.collection(type).get(key)
    if (version === undefined) return
    const object = materialise(version, type.apiVersion, type.kind)
    const service = objectAt(objectAt(object, 'spec') ?? {}, 'service')
    if (service === undefined) return
    const { reason, message } = this.#problem(service)
    const conditions = objectsAt(objectAt(object, 'status') ?? {}, 'conditions')
    const before = conditions.find(one => stringAt(one, 'type') === 'Available')
    if (before?.status === 'False' && before.reason === reason && before.message === message) return
    const lastTransitionTime =
      before?.status === 'False' ? (own(before, 'lastTransitionTime') ?? null) : timestamp(this.#clock.now())
    const condition = { type: 'Available', status: 'False', lastTransitionTime, reason, message }
    const others = conditions.filter(one => stringAt(one, 'type') !== 'Available')
    const next = { ...object, status: { conditions: [...others, condition] } } as KubeObject
    this.#writer.update(type, { version, object }, next, 'all', { dryRun: false, viaPatch: true })
  }

  #problem(reference: JsonObject): Unavailable {
    const [namespace, name] = [stringAt(reference, 'namespace') ?? '', stringAt(reference, 'name') ?? '']
    const port = own(reference, 'port')
    const where = `service/${name} in ${JSON.stringify(namespace)}`
    const found = this.#store.collection(this.#services).get(objectKey(namespace, name))
    if (found === undefined) return { reason: 'ServiceNotFound', message: `${where} is not present` }
    const spec = objectAt(materialise(found, 'v1', 'Service'), 'spec') ?? {}
    if (stringAt(spec, 'type') === 'ClusterIP') {
      const listens = objectsAt(spec, 'ports').find(one => own(one, 'port') === port)
      if (listens === undefined)
        return { reason: 'ServicePortError', message: `${where} is not listening on port ${port}` }
      const slices = this.#slicesOf(namespace, name)
      if (slices.length === 0) {
        return { reason: 'EndpointsNotFound', message: `cannot find endpointslices for ${where}` }
      }
      const portName = stringAt(listens, 'name') ?? ''
      if (!slices.some(slice => isReady(slice, portName))) {
        const message = `endpointslices for ${where} have no addresses with port name ${JSON.stringify(portName)}`
        return { reason: 'MissingEndpoints', message }
      }
    }
    return { reason: 'FailedDiscoveryCheck', message: 'the embedded API server has no network to a Service' }
  }

  #slicesOf(namespace: string, service: string): KubeObject[] {
    return this.#store
      .collection(this.#slices)
      .snapshot(`${namespace}/`)
      .map(one => materialise(one, this.#slices.apiVersion, this.#slices.kind))
      .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === service)
  }
}

/** Whether an EndpointSlice has a ready address, with a port of this name. */
function isReady(slice: KubeObject, portName: string): boolean {
  const serves = objectsAt(slice, 'endpoints').some(
    one =>
      own(objectAt(one, 'conditions') ?? {}, 'ready') !== false && ((own(one, 'addresses') ?? []) as []).length > 0,
  )
  return serves && objectsAt(slice, 'ports').some(one => (stringAt(one, 'name') ?? '') === portName)
}
