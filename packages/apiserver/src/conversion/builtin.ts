import { isObject, type Json, type JsonObject, objectAt, own, parseJson, sameJson } from '@wherry/cel/internal'
import { complete } from '../builtin/complete.ts'
import type { KubeObject } from '../objects/object.ts'
import { materialise, serialise } from '../objects/stored.ts'
import type { Converts, StoredForm } from '../resources/converts.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import type { Version } from '../store/version.ts'

/** The fields of an Event of `events.k8s.io/v1`, in their order, each with its name in a `v1` Event. */
const eventFields: readonly (readonly [name: string, core: string, zero?: Json])[] = [
  ['eventTime', 'eventTime', null],
  ['series', 'series'],
  ['reportingController', 'reportingComponent'],
  ['reportingInstance', 'reportingInstance'],
  ['action', 'action'],
  ['reason', 'reason'],
  ['regarding', 'involvedObject', {}],
  ['related', 'related'],
  ['note', 'message'],
  ['type', 'type'],
  ['deprecatedSource', 'source', {}],
  ['deprecatedFirstTimestamp', 'firstTimestamp', null],
  ['deprecatedLastTimestamp', 'lastTimestamp', null],
  ['deprecatedCount', 'count'],
]

/** The fields of a `v1` Event that are kept when they are empty. */
const coreZeros: JsonObject = { reportingComponent: '', reportingInstance: '' }

/** The annotations with the fields of `autoscaling/v2` that `autoscaling/v1` lacks. */
const kept = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
} as const

const converters: Readonly<Record<string, (object: KubeObject) => JsonObject>> = {
  'v1 events.k8s.io/v1 Event': object => {
    const event: JsonObject = {}
    for (const [name, core, zero] of eventFields) {
      const value = own(object, core) ?? zero
      if (value !== undefined && value !== '') event[name] = value
    }
    return event
  },
  'events.k8s.io/v1 v1 Event': object => {
    const event: JsonObject = {}
    for (const [name, core, zero] of eventFields) {
      const value = own(object, name) ?? (zero === undefined ? own(coreZeros, core) : zero)
      if (value !== undefined) event[core] = value
    }
    return event
  },
  'autoscaling/v2 autoscaling/v1 HorizontalPodAutoscaler': scalerToV1,
  'autoscaling/v1 autoscaling/v2 HorizontalPodAutoscaler': scalerToV2,
}

/** Converts a built-in object to another version of its resource. Only for some resources do more fields change than the version's name. */
export function convertBuiltin(object: KubeObject, apiVersion: string): KubeObject {
  const { kind, metadata } = object
  const fields = converters[`${object.apiVersion} ${apiVersion} ${kind}`]?.(object) ?? object
  return { ...fields, apiVersion, kind, metadata: isObject(fields.metadata) ? fields.metadata : metadata } as KubeObject
}

const cpuOf = (metrics: Json | undefined, of: 'target' | 'current', type?: string): JsonObject | undefined =>
  (Array.isArray(metrics) ? metrics : []).filter(isObject).find(metric => {
    const resource = objectAt(metric, 'resource')
    const amount = objectAt(resource, of)
    const known = type === undefined || own(amount ?? {}, 'type') === type
    return metric.type === 'Resource' && resource?.name === 'cpu' && known && amount?.averageUtilization !== undefined
  })

function scalerToV1(object: KubeObject): JsonObject {
  const { metrics, behavior, ...spec } = objectAt(object, 'spec') ?? {}
  const { currentMetrics, conditions, ...status } = objectAt(object, 'status') ?? {}
  const annotations: Record<string, string> = { ...object.metadata.annotations }
  const keep = (key: keyof typeof kept, value: Json | undefined): void => {
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) {
      annotations[kept[key]] = JSON.stringify(value)
    }
  }
  const target = cpuOf(metrics, 'target', 'Utilization')
  const current = cpuOf(currentMetrics, 'current')
  const without = (list: Json | undefined, one: Json | undefined): Json | undefined =>
    Array.isArray(list) ? list.filter(metric => metric !== one) : undefined
  keep('metrics', without(metrics, target))
  keep('behavior', behavior)
  keep('currentMetrics', without(currentMetrics, current))
  keep('conditions', conditions)
  const percent = (metric: JsonObject | undefined, of: string, name: string): JsonObject =>
    metric === undefined ? {} : { [name]: objectAt(objectAt(metric, 'resource'), of)?.averageUtilization as Json }
  return {
    metadata: withAnnotations(object, annotations),
    spec: { ...spec, ...percent(target, 'target', 'targetCPUUtilizationPercentage') },
    status: {
      currentReplicas: 0,
      desiredReplicas: 0,
      ...status,
      ...percent(current, 'current', 'currentCPUUtilizationPercentage'),
    },
  }
}

function scalerToV2(object: KubeObject): JsonObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = objectAt(object, 'spec') ?? {}
  const { currentCPUUtilizationPercentage: current, ...status } = objectAt(object, 'status') ?? {}
  const annotations: Record<string, string> = { ...object.metadata.annotations }
  const take = (key: keyof typeof kept): Json | undefined => {
    const text = annotations[kept[key]]
    delete annotations[kept[key]]
    try {
      return text === undefined ? undefined : parseJson(text)
    } catch {
      return undefined // A real server drops what it can't read, too.
    }
  }
  const cpu = (of: 'target' | 'current', value: JsonObject): Json => ({
    type: 'Resource',
    resource: { name: 'cpu', [of]: value },
  })
  const list = (value: Json | undefined, more: Json | undefined): Json[] => [
    ...(more === undefined ? [] : [more]),
    ...(Array.isArray(value) ? (value as Json[]) : []),
  ]
  const metrics = list(
    take('metrics'),
    target == null ? undefined : cpu('target', { type: 'Utilization', averageUtilization: target }),
  )
  const currentMetrics = list(
    take('currentMetrics'),
    current == null ? undefined : cpu('current', { averageUtilization: current }),
  )
  if (status.currentReplicas === 0) delete status.currentReplicas
  const [behavior, conditions] = [take('behavior'), take('conditions')]
  return {
    metadata: withAnnotations(object, annotations),
    spec: { ...spec, ...(metrics.length > 0 && { metrics }), ...(behavior !== undefined && { behavior }) },
    status: {
      ...status,
      ...(currentMetrics.length > 0 && { currentMetrics }),
      ...(conditions !== undefined && { conditions }),
    },
  }
}

function withAnnotations({ metadata }: KubeObject, annotations: Record<string, string>): JsonObject {
  const { annotations: _, ...rest } = metadata
  return { ...rest, ...(Object.keys(annotations).length > 0 && { annotations }) } as JsonObject
}

/** Converts the objects of a built-in resource that are stored at another version. Needs no webhook. */
export class BuiltinConversion implements Converts {
  readonly #storage: ResourceType
  readonly #views = new WeakMap<Version, Version>()

  constructor(storage: ResourceType) {
    this.#storage = storage
  }

  lacks(): boolean {
    return false
  }

  prepare(): void {}

  prepareList(): void {}

  async fetch(): Promise<undefined> {
    return undefined
  }

  remember(): void {}

  view(type: ResourceType, version: Version): Version {
    if (version.source !== undefined) return version
    let view = this.#views.get(version)
    if (view === undefined) {
      const object = materialise(version, this.#storage.apiVersion, type.kind)
      const text = serialise(convertBuiltin(object, type.apiVersion), String(version.rv), false)
      view = { ...version, ...text, source: version, prev: undefined }
      this.#views.set(version, view)
    }
    return view
  }

  object(object: KubeObject, to: string): KubeObject {
    return object.apiVersion === to ? object : convertBuiltin(object, to)
  }

  #completed(type: ResourceType, object: KubeObject): KubeObject {
    const stored = convertBuiltin({ ...object, apiVersion: type.apiVersion }, this.#storage.apiVersion)
    complete(stored, this.#storage)
    return stored
  }

  unchanged(type: ResourceType, object: KubeObject, before: Version): boolean {
    const { apiVersion } = this.#storage
    return sameJson(this.#completed(type, object), materialise(before, apiVersion, type.kind))
  }

  stored(type: ResourceType, object: KubeObject): StoredForm {
    const { version } = this.#storage
    const stored = this.#completed(type, object)
    return { object: stored, version, schema: undefined, shown: convertBuiltin(stored, type.apiVersion) }
  }
}

/** The resources that are stored at another version, with that version. */
export const storedElsewhere: Readonly<Record<string, readonly [group: string, version: string]>> = {
  'events.k8s.io/v1 events': ['', 'v1'],
  'autoscaling/v1 horizontalpodautoscalers': ['autoscaling', 'v2'],
}
