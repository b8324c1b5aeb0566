import {
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  objectsAt,
  own,
  qualifiedNameProblems,
  sameJson,
  sortKeys,
  stringsAt,
} from '@wherry/cel/internal'
import { invalid } from '../../metadata/validate.ts'
import type { KubeObject } from '../../objects/object.ts'
import type { StatusCause } from '../../status.ts'
import { fieldProblems } from '../immutable.ts'
import type { Check } from './causes.ts'
import { checkDriverName } from './driver-name.ts'
import {
  always,
  between,
  checkOf,
  each,
  fields,
  free,
  isNone,
  maybe,
  notNegative,
  type Rule,
  required,
  requiredByTag,
  unique,
} from './rules.ts'

const maxParameters = 512
const maxParameterBytes = 262_144

const checkParameters: Rule = (at, parameters, causes) => {
  if (!isObject(parameters)) return
  const all = Object.entries(parameters)
  if (all.length > maxParameters) return causes.tooLong(at, maxParameters)
  if (all.some(([key]) => key === '')) causes.invalid(at, '', 'field can not be empty.')
  const bytes = all.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)), 0)
  if (bytes > maxParameterBytes) causes.tooLong(at, maxParameterBytes)
}

const lowerName = free(text => qualifiedNameProblems(text.toLowerCase()))

/** The values that a term selects, by key. Two terms are the same if they select the same values. */
function selected(term: Json): Json {
  const values = (
    isObject(term) && Array.isArray(term.matchLabelExpressions) ? term.matchLabelExpressions : []
  ) as Json[]
  const byKey = values
    .filter(isObject)
    .map(one => [String(own(one, 'key') ?? ''), [...new Set(stringsAt(one, 'values'))].sort()])
  return sortKeys(Object.fromEntries(byKey) as Json)
}

/** Refuses terms that select the same. A term that selects nothing is refused as well: a real server takes it for a term that it has not read yet. */
const checkSameTerms: Rule = (at, terms, causes) => {
  const all = (Array.isArray(terms) ? (terms as Json[]) : []).map(selected)
  for (const [i, one] of all.entries()) {
    for (const other of [...all.map(() => ({})), ...all.slice(0, i)]) {
      if (sameJson(one, other)) causes.duplicate(`${at}[${i}].matchLabelExpressions`, '')
    }
  }
}

const expressions = [
  each(
    fields({
      values: [required(), unique('')],
      key: always(qualifiedNameProblems),
    }),
  ),
  unique('key'),
]

export const checkStorageClass: Check = checkOf({
  provisioner: [requiredByTag, lowerName],
  parameters: checkParameters,
  reclaimPolicy: (at, policy, causes, of) => {
    if (policy !== '') maybe('Delete', 'Retain')(at, policy, causes, of)
  },
  volumeBindingMode: maybe('Immediate', 'WaitForFirstConsumer'),
  allowedTopologies: [each(fields({ matchLabelExpressions: expressions })), checkSameTerms],
})

export const checkVolumeAttributesClass: Check = checkOf({
  driverName: [required(), lowerName],
  parameters: [checkParameters, required('must contain at least one key/value pair')],
})

const lifecycles = ['Persistent', 'Ephemeral']
const checkLifecycles: Rule = (at, modes, causes) => {
  for (const mode of Array.isArray(modes) ? (modes as Json[]) : []) {
    if (!lifecycles.includes(mode as string)) causes.unsupported(at, mode, lifecycles)
  }
}

const minSeconds = 600
const maxSeconds = 2 ** 32
const checkTokens: Rule = (at, tokens, causes) => {
  const seen = new Set<Json>()
  for (const [i, token] of (Array.isArray(tokens) ? (tokens as Json[]) : []).entries()) {
    if (!isObject(token)) continue
    const [audience, seconds] = [own(token, 'audience') ?? '', own(token, 'expirationSeconds')]
    if (seen.has(audience)) causes.duplicate(`${at}[${i}].audience`, audience)
    else if (typeof seconds === 'number' && seconds < minSeconds) {
      causes.invalid(`${at}[${i}].expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes')
    } else if (typeof seconds === 'number' && seconds > maxSeconds) {
      causes.invalid(`${at}[${i}].expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds')
    }
    seen.add(audience)
  }
}

const checkInSecrets: Rule = (at, value, causes, driver) => {
  if (value === undefined || !isNone(own(objectAt(driver, 'spec') ?? {}, 'tokenRequests'))) return
  causes.invalid(at, value, 'serviceAccountTokenInSecrets is set but no tokenRequests are specified')
}

export const checkDriver: Check = checkOf({
  'spec.fsGroupPolicy': maybe('File', 'None', 'ReadWriteOnceWithFSType'),
  'spec.tokenRequests': checkTokens,
  'spec.volumeLifecycleModes': checkLifecycles,
  'spec.nodeAllocatableUpdatePeriodSeconds': between(
    10,
    Number.POSITIVE_INFINITY,
    'must be greater than or equal to 10 seconds',
  ),
  'spec.serviceAccountTokenInSecrets': checkInSecrets,
})

const checkTopologyKeys: Rule = (at, keys, causes) => {
  const seen = new Set<string>()
  // A real server reports the keys as the driver.
  const driver = at.slice(0, at.lastIndexOf('.'))
  for (const key of Array.isArray(keys) ? (keys as string[]) : []) {
    if (key === '') causes.required(driver)
    if (seen.has(key)) causes.duplicate(driver, key)
    seen.add(key)
    causes.invalid(driver, key, ...qualifiedNameProblems(key))
  }
}

export const checkCsiNode: Check = checkOf({
  'spec.drivers': [
    each(
      fields({
        name: checkDriverName,
        nodeID: [required(), free(id => (id.length > 256 ? ['must be 256 characters or less'] : []))],
        'allocatable.count': notNegative,
        topologyKeys: checkTopologyKeys,
      }),
    ),
    unique('name'),
  ],
})

/** The problems of a driver that replaces another. */
export function driverUpdateProblems(driver: KubeObject, old: KubeObject | undefined): StatusCause[] {
  if (old === undefined) return []
  const [now, before] = [driver, old].map(one => own(objectAt(one, 'spec') ?? {}, 'attachRequired') ?? null)
  // The server's own name of the field has another form.
  const causes = now === before ? [] : [invalid('spec.attachedRequired', now, 'field is immutable')]
  return [...causes, ...fieldProblems(driver, old, ['spec.volumeLifecycleModes'])]
}

/** The problems of the drivers of a node that replace others: only how much can be allocated changes. */
export function csiNodeProblems(node: KubeObject, old: KubeObject | undefined): StatusCause[] {
  const drivers = (of: KubeObject | undefined): JsonObject[] => objectsAt(objectAt(of, 'spec'), 'drivers')
  const fixed = ({ allocatable: _, ...rest }: JsonObject): JsonObject => rest
  return drivers(old).flatMap(before =>
    drivers(node)
      .filter(({ name }) => name === before.name)
      .filter(now => !sameJson(fixed(now), fixed(before)))
      .map(now => invalid('spec.drivers', fixed(now), 'field is immutable')),
  )
}

const shouldBeSet =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes'

/** The warnings about a driver that gets tokens in an unsafe way. */
export function driverWarnings(driver: KubeObject, old: KubeObject | undefined): string[] {
  const [spec, before] = [objectAt(driver, 'spec') ?? {}, objectAt(old, 'spec') ?? {}]
  const tokens = own(spec, 'tokenRequests')
  if (isNone(tokens) || own(spec, 'serviceAccountTokenInSecrets') !== undefined) return []
  return sameJson(tokens, own(before, 'tokenRequests')) ? [] : [shouldBeSet]
}

/** Counts the changes of a driver's spec. A new driver has no count. */
export function countChange(driver: KubeObject, old: KubeObject): void {
  if (sameJson(own(driver, 'spec'), own(old, 'spec'))) return
  driver.metadata.generation = (old.metadata.generation ?? 0) + 1
}
