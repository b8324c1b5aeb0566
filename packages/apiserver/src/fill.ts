import { isObject, type Json } from '@wherry/cel/internal'
import type { FillSource } from './api-server.ts'
import type { Registry } from './definitions/registry.ts'
import { uuid } from './metadata/names.ts'
import type { KubeObject } from './objects/object.ts'
import { timestamp } from './objects/timestamp.ts'
import type { ResourceType } from './resources/resource-type.ts'
import { objectKey, type Store } from './store/store.ts'

/** Resolves the objects of a source, and imports the module that makes them. */
export async function resolveSource(source: FillSource): Promise<Iterable<object>> {
  checkSource(source)
  if (Symbol.iterator in source) return source
  const name = source.export ?? 'default'
  const module = (await import(source.module)) as Record<string, unknown>
  const make = module[name]
  if (typeof make !== 'function') throw new TypeError(`fill: ${source.module} exports no function ${name}`)
  return (make as (...args: readonly unknown[]) => Iterable<object>)(...(source.args ?? []))
}

/** Throws a `TypeError` for a source that is neither an iterable of objects nor a module. */
export function checkSource(source: FillSource): void {
  const given: unknown = source
  const isSource =
    typeof given === 'object' &&
    given !== null &&
    (Symbol.iterator in given || typeof (given as { module?: unknown }).module === 'string')
  if (!isSource) throw new TypeError("fill: takes an iterable of objects, or { module } with a module's URL")
}

/**
 * Stores objects unchanged. A Namespace gets the fields that a server gives each, so that it can be changed, and deleted with its contents. Throws a
 * `TypeError` if an item is no object, or if its resource is not served.
 */
export function fill(
  { store, registry, random, now }: { store: Store; registry: Registry; random: () => number; now: () => number },
  objects: Iterable<object>,
): number {
  const types = new Map<string, ResourceType>()
  const namespaces = registry.resolve('', 'v1', 'namespaces')
  const seen = new Set<string>()
  const creationTimestamp = timestamp(now())
  let count = 0
  for (const value of objects) {
    const object = value as KubeObject
    if (!isObject(object as Json) || !isObject(object.metadata) || !isName(object.metadata.name)) {
      throw new TypeError('fill: not an object with metadata and a name')
    }
    const kind = `${object.apiVersion}/${object.kind}`
    let type = types.get(kind)
    if (type === undefined) {
      type = registry.findKind(object.apiVersion, object.kind)
      if (type === undefined) throw new TypeError(`fill: ${kind} is not served`)
      types.set(kind, type)
    }
    const { metadata } = object
    if (!type.namespaced && metadata.namespace !== undefined) {
      throw new TypeError(`fill: ${kind} ${metadata.name} is in a namespace, and its resource is not`)
    }
    const namespace = type.namespaced ? (metadata.namespace ?? 'default') : undefined
    if (namespace !== undefined && !seen.has(namespace)) {
      seen.add(namespace)
      if (store.collection(namespaces).get(namespace) === undefined) {
        const metadata = { name: namespace, uid: uuid(random), creationTimestamp }
        store.put(namespaces, asNamespace({ apiVersion: 'v1', kind: 'Namespace', metadata }), 'v1')
      }
    }
    const existing = store.collection(type).get(objectKey(namespace ?? '', metadata.name ?? ''))
    const given = {
      ...object,
      metadata: {
        ...metadata,
        ...(namespace === undefined ? {} : { namespace }),
        uid: metadata.uid ?? existing?.uid ?? uuid(random),
        creationTimestamp: metadata.creationTimestamp ?? creationTimestamp,
      },
    }
    const whole = type === namespaces ? asNamespace(given) : given
    // Stored at the version that the object has, unless the resource stores no object at that version.
    const form = type.storage === undefined ? undefined : type.conversion?.stored(type, whole, undefined)
    store.put(
      type,
      form?.object ?? whole,
      form?.version ?? (type.conversion === undefined ? type.storageVersion : type.version),
    )
    count++
  }
  return count
}

function asNamespace(object: KubeObject): KubeObject {
  const { metadata } = object
  const labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name ?? '' }
  const made = { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }
  return { ...made, ...object, metadata: { ...metadata, labels } }
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && name !== ''
}
