import {
  dnsLabelProblems,
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  own,
  sameJson,
  sortKeys,
  stringAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import { invalid } from '../../metadata/validate.ts'
import type { KubeObject } from '../../objects/object.ts'
import type { StatusCause } from '../../status.ts'
import { numberOf } from '../quantity.ts'
import { forbidden, withDifference } from '../spec-difference.ts'
import type { Causes, Check } from './causes.ts'
import { checkAccessModes } from './claim.ts'
import { checkDriverName } from './driver-name.ts'
import { checkNoBacksteps } from './paths.ts'
import { between, checkOf, entries, fields, free, maybe, type Rule, type Rules, required } from './rules.ts'
import { checkNodeSelector } from './scheduling.ts'
import { checkHostPath, checkNfs } from './volume.ts'

const partition = between(0, 255, 'must be between 1 and 255, inclusive')
const toByte = between(0, 255, 'must be between 0 and 255, inclusive')
const reference: Rules = { name: required(), namespace: required() }
const csiSecret = fields({
  name: [required(), free(subdomainProblems)],
  namespace: [required(), free(dnsLabelProblems)],
})

/** The rules of a source with these required fields. */
const needs = (...names: readonly string[]): Rules => Object.fromEntries(names.map(name => [name, required()]))
/** A rule of objects only. */
const ofObject =
  (check: (at: string, object: JsonObject, causes: Causes) => void): Rule =>
  (at, value, causes) => {
    if (isObject(value)) check(at, value, causes)
  }

/** The sources of volumes in the order in which a real server checks them, each with the name that its path has in causes. */
const sources: readonly (readonly [name: string, rule: Rule, called?: string])[] = [
  ['hostPath', ofObject(checkHostPath)],
  ['gcePersistentDisk', fields({ ...needs('pdName'), partition }), 'persistentDisk'],
  ['awsElasticBlockStore', fields({ ...needs('volumeID'), partition })],
  ['glusterfs', fields(needs('endpoints', 'path'))],
  ['flocker', fields({})],
  ['nfs', ofObject(checkNfs)],
  ['rbd', fields(needs('monitors', 'image'))],
  ['quobyte', fields(needs('registry', 'volume'))],
  ['cephfs', fields(needs('monitors'))],
  ['iscsi', fields({ ...needs('targetPortal', 'iqn'), lun: toByte })],
  ['cinder', fields({ ...needs('volumeID'), secretRef: fields(reference) })],
  ['fc', ofObject(checkFibreChannel)],
  ['flexVolume', fields(needs('driver'))],
  ['azureFile', fields(needs('secretName', 'shareName'))],
  ['vsphereVolume', fields(needs('volumePath'))],
  ['photonPersistentDisk', fields(needs('pdID'))],
  ['portworxVolume', fields(needs('volumeID'))],
  ['azureDisk', fields(needs('diskName', 'diskURI'))],
  ['scaleIO', fields(needs('gateway', 'system', 'volumeName'))],
  ['local', ofObject(checkLocal)],
  ['storageos', fields({ volumeName: [required(), free(dnsLabelProblems)], secretRef: fields(reference) })],
  [
    'csi',
    fields({
      driver: (at, name, causes, of) => checkDriverName(at, name, causes, of),
      volumeHandle: required(),
      controllerPublishSecretRef: csiSecret,
      controllerExpandSecretRef: csiSecret,
      nodePublishSecretRef: csiSecret,
      nodeExpandSecretRef: csiSecret,
    }),
  ],
]

function checkFibreChannel(at: string, source: JsonObject, causes: Causes): void {
  const [targets, ids] = [own(source, 'targetWWNs'), own(source, 'wwids')]
  const lun = own(source, 'lun')
  if (targets === undefined && ids === undefined) {
    causes.required(`${at}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both')
  }
  if (targets === undefined) return
  if (ids !== undefined) {
    causes.invalid(`${at}.targetWWNs`, targets, 'targetWWNs and wwids can not be specified simultaneously')
  }
  if (lun === undefined) causes.required(`${at}.lun`, 'lun is required if targetWWNs is specified')
  else toByte(`${at}.lun`, lun, causes, source)
}

function checkLocal(at: string, source: JsonObject, causes: Causes): void {
  const path = stringAt(source, 'path') ?? ''
  if (path === '') causes.required(`${at}.path`)
  else checkNoBacksteps(`${at}.path`, path, causes)
}

function checkSources(at: string, value: Json | undefined, causes: Causes): void {
  const spec = isObject(value) ? value : {}
  let has = false
  for (const [name, rule, called = name] of sources) {
    const source = objectAt(spec, name)
    if (source === undefined) continue
    // A real server allows a flexVolume together with other sources.
    if (has && name !== 'flexVolume') {
      const field = name === 'cephfs' ? 'cephFS' : name
      causes.forbidden(`${at}.${field}`, 'may not specify more than 1 volume type')
      continue
    }
    rule(`${at}.${called}`, source, causes, spec)
    has = true
    if (name === 'local' && objectAt(spec, 'nodeAffinity') === undefined) {
      causes.required(`${at}.nodeAffinity`, 'Local volume requires node affinity')
    }
  }
  if (!has) causes.required(at, 'must specify a volume type')
  const isRoot = /^\/[/.]*$/.test(stringAt(objectAt(spec, 'hostPath'), 'path') ?? '')
  if (isRoot && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    causes.forbidden(`${at}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'")
  }
}

const checkCapacity: Rule = (at, value, causes, of) => {
  const capacity = isObject(value) ? value : {}
  const names = Object.keys(capacity)
  if (names.length === 0) causes.required(at)
  if (names.length !== 1 || names[0] !== 'storage') {
    causes.unsupported(at, value === undefined ? null : sortKeys(value), ['storage'])
  }
  checkAmounts(at, capacity, causes, of)
}

const checkAmounts = entries((at, _, amount, causes) => {
  const number = numberOf(String(amount))
  if (number < 0) causes.invalid(at, Math.floor(number), 'must be a valid resource quantity')
  if (number <= 0) causes.invalid(at, String(amount), 'must be greater than zero')
})

const checkNodes: Rule = (at, affinity, causes) => {
  if (!isObject(affinity)) return
  const selector = objectAt(affinity, 'required')
  if (selector === undefined) causes.required(`${at}.required`, 'must specify required node constraints')
  else checkNodeSelector(`${at}.required`, selector, causes)
}

const checkAttributesClass: Rule = (at, name, causes, volume) => {
  if (typeof name !== 'string') return
  if (name === '') causes.required(at, 'an empty string is disallowed')
  else causes.invalid(at, name, ...subdomainProblems(name))
  if (objectAt(objectAt(volume, 'spec'), 'csi') !== undefined) return
  causes.required('spec.csi', 'has to be specified when using volumeAttributesClassName')
}

export const checkPersistentVolume: Check = checkOf({
  'spec.accessModes': [required(), checkAccessModes],
  'spec.capacity': checkCapacity,
  'spec.persistentVolumeReclaimPolicy': maybe('Delete', 'Recycle', 'Retain'),
  'spec.nodeAffinity': checkNodes,
  spec: checkSources,
  'spec.storageClassName': free(subdomainProblems),
  'spec.volumeMode': maybe('Block', 'Filesystem'),
  'spec.volumeAttributesClassName': checkAttributesClass,
})

/** The problems of a volume that replaces another: its source and mode can't change, nor a node affinity, and its class of attributes can't be removed. */
export function volumeProblems(volume: KubeObject, old: KubeObject | undefined): StatusCause[] {
  if (old === undefined) return []
  const [spec, before] = [objectAt(volume, 'spec') ?? {}, objectAt(old, 'spec') ?? {}]
  const causes: StatusCause[] = []
  const [next, was] = [sourceOf(spec), sourceOf(before)]
  // The secret of an expansion can be named later.
  const [csi, hadCsi] = [objectAt(next, 'csi'), objectAt(was, 'csi')]
  if (csi !== undefined && hadCsi !== undefined && own(hadCsi, 'controllerExpandSecretRef') === undefined) {
    const { controllerExpandSecretRef: _, ...rest } = csi
    next.csi = rest
  }
  if (!sameJson(next, was)) {
    const why = withDifference('spec.persistentvolumesource is immutable after creation', was, next)
    causes.push(forbidden('spec.persistentvolumesource', why))
  }
  // The server's own paths have no `spec`.
  const [mode, hadMode] = [own(spec, 'volumeMode'), own(before, 'volumeMode')]
  if (mode !== hadMode) causes.push(invalid('volumeMode', mode ?? null, 'field is immutable'))
  const [nodes, hadNodes] = [own(spec, 'nodeAffinity'), own(before, 'nodeAffinity')]
  if (hadNodes !== undefined && !isSameAffinity(nodes, hadNodes)) {
    const why = 'field is immutable, except for updating from beta label to GA'
    causes.push(invalid('nodeAffinity', nodes ?? null, why))
  }
  const attributes = 'volumeAttributesClassName'
  if (own(before, attributes) !== undefined && own(spec, attributes) === undefined) {
    causes.push(forbidden(`spec.${attributes}`, 'update from non-nil value to nil is forbidden'))
  }
  return causes
}

/** The present names of labels of nodes, by their former names. */
const laterLabels: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
}

/** Whether nodes are selected by the same labels, or by the present names of the labels. A real server lets an empty label replace any label that kept its name. */
function isSameAffinity(now: Json | undefined, before: Json | undefined): boolean {
  if (Array.isArray(now) && Array.isArray(before)) {
    return now.length === before.length && now.every((item, i) => isSameAffinity(item as Json, before[i] as Json))
  }
  if (!isObject(now) || !isObject(before)) return sameJson(now, before)
  const { key: label = '', ...rest } = now
  const { key: old = '', ...others } = before
  if (label !== old && label !== (own(laterLabels, old as string) ?? '')) return false
  const names = Object.keys({ ...rest, ...others })
  return names.every(name => isSameAffinity(own(rest, name), own(others, name)))
}

function sourceOf(spec: JsonObject): JsonObject {
  return Object.fromEntries(sources.flatMap(([name]) => (name in spec ? [[name, own(spec, name) as Json]] : [])))
}
