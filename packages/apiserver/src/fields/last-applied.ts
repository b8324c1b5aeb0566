import { goJson, isObject, type Json, type JsonObject, own, parseJson } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import { compare } from './compare.ts'
import type { Conflict } from './conflict.ts'
import { difference, type FieldSet } from './field-set.ts'
import { fieldSetOf } from './field-set-of.ts'
import type { FieldType } from './field-type.ts'
import { contentOf, type Writing } from './ownership.ts'

/** The annotation in which client-side `kubectl apply` keeps the applied configuration. */
const annotation = 'kubectl.kubernetes.io/last-applied-configuration'

/** Whether kubectl is the manager. Only its server-side applies take over from its client-side applies. */
function isKubectl({ manager }: Pick<Writing, 'manager'>): boolean {
  return manager === 'kubectl'
}

/** The conflicts that remain when kubectl takes over the fields that it applied client-side and nobody has changed since. */
export function withoutOwn(
  conflicts: readonly Conflict[],
  live: KubeObject,
  type: FieldType,
  writing: Pick<Writing, 'manager' | 'apiVersion'>,
): readonly Conflict[] {
  if (conflicts.length === 0 || !isKubectl(writing)) return conflicts
  const allowed = unchangedSince(live, type, writing.apiVersion)
  return conflicts.flatMap(({ manager, set }) => {
    const left = difference(set, allowed)
    return left === undefined ? [] : [{ manager, set: left }]
  })
}

/** The fields that kubectl applied client-side and that are unchanged. */
function unchangedSince(live: KubeObject, type: FieldType, apiVersion: string): FieldSet | undefined {
  const text = live.metadata.annotations?.[annotation] ?? ''
  let last: Json
  try {
    last = parseJson(text)
  } catch {
    return undefined
  }
  if (!isObject(last) || own(last, 'apiVersion') !== apiVersion) return undefined
  const { set, removed } = compare(last, contentOf(live), type, true)
  return difference(difference(fieldSetOf(last, type), set), removed)
}

/** `object` with the applied configuration in kubectl's annotation, if kubectl applied it and the annotation exists. */
export function withLastApplied(
  object: KubeObject,
  config: KubeObject,
  writing: Pick<Writing, 'manager' | 'subresource'>,
): KubeObject {
  const { annotations = {} } = object.metadata
  if (!isKubectl(writing) || writing.subresource !== '' || !annotations[annotation]) return object
  const metadata: JsonObject = { ...(config.metadata as JsonObject) }
  const own = config.metadata.annotations
  if (own !== undefined) {
    const { [annotation]: _, ...rest } = own
    metadata.annotations = rest
  }
  const text = `${goJson({ ...config, metadata } as Json)}\n`
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [annotation]: text } } }
}
