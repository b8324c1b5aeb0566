import { parseResourceVersion } from '../objects/resource-version.ts'
import { materialise } from '../objects/stored.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { checkFields, type FieldSelector, fieldValue, parseFieldSelector } from '../selectors/fields.ts'
import { type LabelSelector, parseLabelSelector } from '../selectors/labels.ts'
import { parseShardSelector, type ShardSelector } from '../selectors/shards.ts'
import { StatusError } from '../status.ts'
import type { Version } from '../store/version.ts'

/** The query of a list, a watch or a delete of a collection. */
export interface ListOptions {
  /** `undefined`: not given, or empty. */
  readonly resourceVersion: number | undefined
  readonly match: 'Exact' | 'NotOlderThan' | undefined
  /** 0: no limit. */
  readonly limit: number
  readonly continue: string
  readonly selection: Selection
}

/** Label, field and shard selectors together. */
export interface Selection {
  readonly labels: LabelSelector | undefined
  readonly fields: FieldSelector | undefined
  readonly shard: ShardSelector | undefined
  /** Whether anything at all is asked for. */
  readonly any: boolean
}

/** Reads and checks selectors, limit, resourceVersion, match and continue. Throws the server's refusals. */
export function parseListOptions(
  query: URLSearchParams,
  type: ResourceType,
  watch: boolean,
  shards: boolean,
): ListOptions {
  const limitText = query.get('limit') ?? ''
  if (limitText !== '' && !/^-?\d+$/.test(limitText)) {
    throw StatusError.badRequest(`strconv.ParseInt: parsing "${limitText}": invalid syntax`)
  }
  const rvText = query.get('resourceVersion') ?? ''
  const matchText = query.get('resourceVersionMatch') ?? ''
  const token = query.get('continue') ?? ''
  const initial = query.get('sendInitialEvents')
  checkMatch(matchText, rvText, token, watch, initial)
  if (token !== '' && rvText !== '' && rvText !== '0') {
    throw StatusError.badRequest('specifying resource version is not allowed when using continue')
  }
  if (watch && rvText !== '' && !/^\d+$/.test(rvText)) {
    throw new StatusError(500, '', `strconv.ParseUint: parsing "${rvText}": invalid syntax`)
  }
  return {
    resourceVersion: rvText === '' ? undefined : parseResourceVersion(rvText),
    match: matchText === '' ? undefined : (matchText as 'Exact' | 'NotOlderThan'),
    limit: Math.max(0, Number(limitText || '0')),
    continue: token,
    selection: parseSelection(query, type, shards),
  }
}

function parseSelection(query: URLSearchParams, type: ResourceType, shards: boolean): Selection {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '')
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '')
  if (fields !== undefined) checkFields(fields, type.selectableFields, type.custom)
  const shard = shards ? parseShardSelector(query.get('shardSelector') ?? '') : undefined
  return { labels, fields, shard, any: labels !== undefined || fields !== undefined || shard !== undefined }
}

function checkMatch(match: string, rv: string, token: string, watch: boolean, initial: string | null): void {
  const refuse = (reason: string, message: string, field = 'resourceVersionMatch'): never => {
    throw StatusError.invalid({ group: 'meta.k8s.io', plural: 'listoptions', kind: 'ListOptions' }, '', [
      { reason, message, field },
    ])
  }
  const forbidden = (why: string, field?: string): never => refuse('FieldValueForbidden', `Forbidden: ${why}`, field)
  if (initial !== null) {
    if (!watch) forbidden('sendInitialEvents is forbidden for list', 'sendInitialEvents')
    if (match === '') forbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')
    if (match !== 'NotOlderThan') {
      refuse('FieldValueNotSupported', `Unsupported value: "${match}": supported values: "NotOlderThan"`)
    }
    return
  }
  if (match === '') return
  if (watch) forbidden('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')
  if (rv === '') forbidden('resourceVersionMatch is forbidden unless resourceVersion is provided')
  if (token !== '') forbidden('resourceVersionMatch is forbidden when continue is provided')
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    refuse('FieldValueNotSupported', `Unsupported value: "${match}": supported values: "Exact", "NotOlderThan", ""`)
  }
  if (match === 'Exact' && rv === '0') forbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
}

/** Whether `version` is selected. */
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
      object ??= materialise(version, type.apiVersion, type.kind)
      actual = fieldValue(object, field)
    }
    return (actual === value) === equal
  })
}
