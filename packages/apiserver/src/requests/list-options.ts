import { isInt64 } from '@wherry/cel/internal'
import { notAResourceVersion, parseResourceVersion } from '../objects/resource-version.ts'
import { materialise } from '../objects/stored.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { viewOf } from '../resources/view.ts'
import {
  builtinFieldValue,
  checkFields,
  type FieldSelector,
  fieldValue,
  parseFieldSelector,
} from '../selectors/fields.ts'
import { type LabelSelector, parseLabelSelector } from '../selectors/labels.ts'
import { parseShardSelector, type ShardSelector } from '../selectors/shards.ts'
import { type StatusCause, StatusError } from '../status.ts'
import type { Version } from '../store/version.ts'
import { decodeContinue } from './continue-token.ts'

/** The query of a list, a watch or a delete of a collection. */
export interface ListOptions {
  /** `undefined` if it is absent or empty. */
  readonly resourceVersion: number | undefined
  readonly match: 'Exact' | 'NotOlderThan' | undefined
  /** The maximum number of items; 0 for no limit. */
  readonly limit: number
  readonly continue: string
  readonly selection: Selection
}

/** Label, field and shard selectors together. */
export interface Selection {
  readonly labels: LabelSelector | undefined
  readonly fields: FieldSelector | undefined
  readonly shard: ShardSelector | undefined
  /** Whether the selection restricts the objects. */
  readonly any: boolean
}

/** Reads and checks selectors, limit, resourceVersion, match and continue. Throws the server's refusals. */
export function parseListOptions(
  query: URLSearchParams,
  type: ResourceType,
  watch: boolean,
  shards: boolean,
): ListOptions {
  const limit = parseInteger(query.get('limit')) ?? 0
  parseInteger(query.get('timeoutSeconds'))
  const rvText = query.get('resourceVersion') ?? ''
  const matchText = query.get('resourceVersionMatch') ?? ''
  const token = query.get('continue') ?? ''
  checkMatch(matchText, rvText, token, watch, query.get('sendInitialEvents') !== null)
  const selection = parseSelection(query, type, shards)
  if (token !== '' && !watch) {
    decodeContinue(token)
    if (rvText !== '' && rvText !== '0') {
      throw StatusError.badRequest('specifying resource version is not allowed when using continue')
    }
  }
  return {
    resourceVersion: rvText === '' ? undefined : readVersion(rvText, watch),
    match: matchText === '' ? undefined : (matchText as 'Exact' | 'NotOlderThan'),
    limit: Math.max(0, limit),
    continue: token,
    selection,
  }
}

/** An integer of a query; `undefined` if it is absent. Throws the server's 400 if the text, even an empty one, is no integer. */
export function parseInteger(text: string | null): number | undefined {
  if (text === null) return undefined
  const isWhole = /^[-+]?\d+$/.test(text)
  if (isWhole && isInt64(text)) return Number(text)
  const why = isWhole ? 'value out of range' : 'invalid syntax'
  throw StatusError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`)
}

function readVersion(text: string, watch: boolean): number {
  const version = parseResourceVersion(text)
  if (version !== undefined) return version
  const why = notAResourceVersion(text)
  throw watch ? new StatusError(500, '', why) : StatusError.badRequest(`invalid resource version: ${why}`)
}

function parseSelection(query: URLSearchParams, type: ResourceType, shards: boolean): Selection {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '')
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '')
  if (fields !== undefined) checkFields(fields, type.selectableFields, type)
  const shard = shards ? parseShardSelector(query.get('shardSelector') ?? '') : undefined
  return { labels, fields, shard, any: labels !== undefined || fields !== undefined || shard !== undefined }
}

function checkMatch(match: string, rv: string, token: string, watch: boolean, initialAsked: boolean): void {
  const causes: StatusCause[] = []
  const forbidden = (why: string, field = 'resourceVersionMatch'): void => {
    causes.push({ reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field })
  }
  const supported = (...values: string[]): void => {
    if (values.includes(match)) return
    const known = values.map(value => JSON.stringify(value)).join(', ')
    const message = `Unsupported value: ${JSON.stringify(match)}: supported values: ${known}`
    causes.push({ reason: 'FieldValueNotSupported', message, field: 'resourceVersionMatch' })
  }
  if (watch && initialAsked && match !== 'NotOlderThan') {
    forbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')
  }
  if (match !== '') {
    if (watch) {
      if (!initialAsked) forbidden('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')
      supported('NotOlderThan')
    } else if (rv === '') {
      forbidden('resourceVersionMatch is forbidden unless resourceVersion is provided')
    }
    if (token !== '') forbidden('resourceVersionMatch is forbidden when continue is provided')
    if (!watch) {
      supported('Exact', 'NotOlderThan', '')
      if (match === 'Exact' && rv === '0') {
        forbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
      }
    }
  }
  if (!watch && initialAsked) forbidden('sendInitialEvents is forbidden for list', 'sendInitialEvents')
  if (causes.length === 0) return
  throw StatusError.invalid({ group: 'meta.k8s.io', plural: 'listoptions', kind: 'ListOptions' }, '', causes)
}

/** Whether the selection contains `version`. */
export function selects(selection: Selection, version: Version, type: ResourceType): boolean {
  if (!selection.any) return true
  const { labels, fields, shard } = selection
  if (labels !== undefined && !labels.matches(version.labels)) return false
  if (shard !== undefined && !shard.matches(version)) return false
  if (fields === undefined) return true
  let object: ReturnType<typeof materialise> | undefined
  return fields.requirements.every(({ field, equal, value }) => {
    let actual: string
    if (field === 'metadata.name') actual = version.name
    else if (field === 'metadata.namespace') actual = version.namespace
    else {
      object ??= materialise(viewOf(type, version), type.apiVersion, type.kind)
      actual = type.custom ? fieldValue(object, field) : builtinFieldValue(object, type.kind, field)
    }
    return (actual === value) === equal
  })
}
