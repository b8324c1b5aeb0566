import {
  labelValueProblems,
  objectAt,
  objectsAt,
  own,
  qualifiedNameProblems,
  sameJson,
  stringAt,
  stringsAt,
} from '@wherry/cel/internal'
import type { KubeObject } from '../../objects/object.ts'
import type { StatusCause } from '../../status.ts'
import { forbidden } from '../spec-difference.ts'
import { blockOf, cidrProblems } from './addresses.ts'
import type { Causes, Check } from './causes.ts'
import { checkAmount } from './resources.ts'
import { effects } from './scheduling.ts'

const kept = 'node updates may not change podCIDR except from "" to valid'

/** Checks a node. */
export const checkNode: Check = (node, causes) => {
  checkTaints(node, causes)
  checkNodeStatus(node, causes)
  checkCidrs(stringsAt(objectAt(node, 'spec'), 'podCIDRs'), causes)
}

/** Checks the taints of a node. A real server reports them as if they were metadata. */
function checkTaints(node: KubeObject, causes: Causes): void {
  const taints = objectsAt(objectAt(node, 'spec'), 'taints')
  const seen = new Set<string>()
  for (const [i, taint] of taints.entries()) {
    const at = `metadata.taints[${i}]`
    const [key, value, effect] = ['key', 'value', 'effect'].map(name => stringAt(taint, name) ?? '') as [
      string,
      string,
      string,
    ]
    causes.invalid(`${at}.key`, key, ...qualifiedNameProblems(key))
    const problems = labelValueProblems(value)
    if (problems.length > 0) causes.invalid(`${at}.value`, value, problems.join(';'))
    causes.chosen(`${at}.effect`, effect, effects)
    const pair = `${effect} ${key}`
    if (seen.has(pair)) {
      const printed = { Key: key, Value: value, Effect: effect, TimeAdded: own(taint, 'timeAdded') ?? null }
      causes.duplicate(at, printed, 'taints must be unique by key and effect pair')
    }
    seen.add(pair)
  }
}

/** Checks the status of a node. */
const checkNodeStatus: Check = (node, causes) => {
  const status = objectAt(node, 'status') ?? {}
  for (const name of ['capacity', 'allocatable']) {
    const amounts = objectAt(status, name) ?? {}
    for (const key of Object.keys(amounts).sort()) checkAmount(`status.${name}.${key}`, key, amounts[key], causes)
  }
  const swap = own(objectAt(objectAt(status, 'nodeInfo'), 'swap') ?? {}, 'capacity')
  if (typeof swap === 'number' && swap <= 0) {
    causes.invalid('metadata.nodeSwapStatus.capacity', swap, 'must be greater than zero')
  }
  checkFeatures(stringsAt(status, 'declaredFeatures'), causes)
}

function checkFeatures(features: readonly string[], causes: Causes): void {
  for (const [i, feature] of features.entries()) {
    const at = `status.declaredFeatures[${i}]`
    const before = features[i - 1]
    if (feature === before) causes.duplicate(at, feature)
    else if (before !== undefined && before > feature) causes.invalid(at, feature, 'list must be sorted alphabetically')
    if (/^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/.test(feature)) continue
    const why = `invalid feature name ${JSON.stringify(feature)}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`
    causes.invalid(at, feature, why)
  }
}

function checkCidrs(cidrs: readonly string[], causes: Causes): void {
  const at = 'spec.podCIDRs'
  for (const [i, cidr] of cidrs.entries()) causes.invalid(`${at}[${i}]`, cidr, ...cidrProblems(cidr))
  if (cidrs.length < 2) return
  const blocks = cidrs.map(blockOf)
  const bad = blocks.indexOf(undefined)
  if (bad >= 0) {
    const why = `invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${cidrs[bad]})`
    const message = `Internal error: invalid PodCIDRs. failed to check with dual stack with error:${why}`
    causes.add([{ reason: 'InternalError', message, field: at }])
  }
  const families = new Set(blocks.map(block => block?.bits.length))
  if (bad >= 0 || families.size < 2 || cidrs.length > 2) {
    causes.invalid(at, [...cidrs], 'may specify no more than one CIDR for each IP family')
  }
}

/** Checks an updated node: its taints and its status, as {@link checkNode} does, and its addresses, which only updates check. */
export const checkNodeUpdate: Check = (node, causes) => {
  checkTaints(node, causes)
  checkNodeStatus(node, causes)
  const before = new Set<string>()
  for (const [i, { type = '', address = '' }] of objectsAt(objectAt(node, 'status'), 'addresses').entries()) {
    const text = JSON.stringify([type, address])
    if (before.has(text)) causes.duplicate(`status.addresses[${i}]`, { Type: type, Address: address })
    before.add(text)
  }
}

/** The problems of a node that replaces another: its CIDRs and its `providerID` can't change once they are set, and its `externalID` can't change. */
export function nodeProblems(node: KubeObject, old: KubeObject | undefined): StatusCause[] {
  if (old === undefined) return []
  const [spec, before] = [objectAt(node, 'spec') ?? {}, objectAt(old, 'spec') ?? {}]
  const causes: StatusCause[] = []
  const [now, had] = [stringsAt(spec, 'podCIDRs'), stringsAt(before, 'podCIDRs')]
  if (had.length > 0 && !sameJson(now, had)) causes.push(forbidden('spec.podCIDRs', kept))
  const [id, was] = [spec, before].map(one => stringAt(one, 'providerID') ?? '')
  if (was !== '' && id !== was) {
    const why = `field cannot be ${id === '' ? 'cleared' : 'modified'} once set`
    causes.push({ reason: 'FieldValueInvalid', message: `Invalid value: null: ${why}`, field: 'spec.providerID' })
  }
  if ((stringAt(spec, 'externalID') ?? '') !== (stringAt(before, 'externalID') ?? '')) {
    causes.push(forbidden('spec.externalID', 'may not be updated'))
  }
  return causes
}
