import {
  type Json,
  type JsonObject,
  objectAt,
  own,
  qualifiedNameProblems,
  sameJson,
  stringAt,
} from '@wherry/cel/internal'
import { invalid } from '../../metadata/validate.ts'
import type { KubeObject } from '../../objects/object.ts'
import type { StatusCause } from '../../status.ts'
import { Causes, type Check } from './causes.ts'
import { isNone } from './rules.ts'

/** The fields that have other names in the other version, by their names in a `v1` Event. */
interface Form {
  readonly involvedObject: string
  readonly reportingComponent: string
  readonly message: string
}

const core: Form = { involvedObject: 'involvedObject', reportingComponent: 'reportingComponent', message: 'message' }
const later: Form = { involvedObject: 'regarding', reportingComponent: 'reportingController', message: 'note' }

export const checkCoreEvent: Check = (event, causes) => checkEvent(event, core, causes)
export const checkEventOfGroup: Check = (event, causes) => checkEvent(event, later, causes)

/** Checks an Event of either version. An Event without `eventTime` must be in the namespace of its object. */
function checkEvent(event: KubeObject, form: Form, causes: Causes): void {
  const about = stringAt(objectAt(event, form.involvedObject), 'namespace') ?? ''
  const { namespace = '' } = event.metadata
  const isTimed = own(event, 'eventTime') != null
  const allowed = about === '' ? ['default', isTimed ? 'kube-system' : ''] : [isTimed ? namespace : about]
  if (!allowed.includes(namespace)) {
    causes.invalid('involvedObject.namespace', about, 'does not match event.namespace')
  }
  if (!isTimed) return
  const controller = stringAt(event, form.reportingComponent) ?? ''
  if (controller === '') causes.required(form.reportingComponent)
  causes.invalid(form.reportingComponent, controller, ...qualifiedNameProblems(controller))
  for (const name of ['reportingInstance', 'action', 'reason']) {
    const text = stringAt(event, name) ?? ''
    if (text === '') causes.required(name)
    checkLength(name, text, 128, causes)
  }
  checkLength('message', stringAt(event, form.message) ?? '', 1024, causes)
}

function checkLength(field: string, text: string, most: number, causes: Causes): void {
  if (Buffer.byteLength(text) > most) causes.invalid(field, '', `can have at most ${most} characters`)
}

/** The fields of an Event of `events.k8s.io` that are only for Events of `v1`. */
const deprecated: Readonly<Record<string, string>> = {
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  source: 'deprecatedSource',
}

/** Checks a new Event of `events.k8s.io`. */
export const checkNewEvent: Check = (event, causes) => {
  checkSeries(event, causes)
  if (own(event, 'eventTime') == null) causes.required('eventTime')
  const type = stringAt(event, 'type') ?? ''
  if (type !== 'Normal' && type !== 'Warning') causes.invalid('type', '', `has invalid value: ${type}`)
  for (const [name, field] of Object.entries(deprecated)) {
    const value = own(event, field)
    if (!isNone(value) && value !== 0) causes.invalid(name, '', 'needs to be unset')
  }
}

function checkSeries(event: KubeObject, causes: Causes): void {
  const series = objectAt(event, 'series')
  if (series === undefined) return
  if (Number(own(series, 'count') ?? 0) < 2) causes.invalid('series.count', '', 'should be at least 2')
  if (own(series, 'lastObservedTime') == null) causes.required('series.lastObservedTime')
}

const reference = { Kind: 'kind', Namespace: 'namespace', Name: 'name', UID: 'uid', APIVersion: 'apiVersion' }
const fully = { ...reference, ResourceVersion: 'resourceVersion', FieldPath: 'fieldPath' }
/** The immutable fields of an Event of `events.k8s.io`, by the names that a real server reports, with those of its own types. */
const fixedFields: readonly (readonly [name: string, field: string, of?: Readonly<Record<string, string>>])[] = [
  ['involvedObject', 'regarding', fully],
  ['reason', 'reason'],
  ['message', 'note'],
  ['source', 'deprecatedSource', { Component: 'component', Host: 'host' }],
  ...['firstTimestamp', 'lastTimestamp', 'count'].map(name => [name, deprecated[name] as string] as const),
  ['reason', 'reason'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related', fully],
  ['reportingController', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
]

/** The problems of an Event of `events.k8s.io` that replaces another: only its series may change. */
export function eventProblems(event: KubeObject, old: KubeObject | undefined): StatusCause[] {
  if (old === undefined) return []
  const causes = new Causes()
  if (!sameJson(own(event, 'series'), own(old, 'series'))) checkSeries(event, causes)
  const changed = fixedFields.flatMap(([name, field, of]) => {
    const [now, before] = [own(event, field), own(old, field)]
    if (sameJson(now, before) || (isNone(now) && isNone(before))) return []
    return [invalid(name, printed(now, of), 'field is immutable')]
  })
  return [...causes.all, ...changed]
}

function printed(value: Json | undefined, of: Readonly<Record<string, string>> | undefined): Json {
  if (of === undefined || value == null) return value ?? (of === undefined ? '' : null)
  return Object.fromEntries(Object.entries(of).map(([name, field]) => [name, own(value as JsonObject, field) ?? '']))
}
