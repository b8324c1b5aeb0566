import type { ValidationRule } from '@wherry/client/resources/apiextensions'
import type { StructuralSchema } from '../schema/json-schema.ts'
import type { Note } from './change.ts'

/** Records CEL rules that were added or removed. */
export function ruleChanges(old: StructuralSchema, next: StructuralSchema, path: string, note: Note): void {
  const [was, is] = [rulesOf(old), rulesOf(next)]
  for (const rule of is) {
    if (was.some(one => isSame(one, rule))) continue
    if (isImmutability(rule)) note(path, 'immutable', 'breaks clients', 'Clients that change the value are refused.')
    else
      note(
        path,
        `rule added, which may refuse: ${rule.rule}`,
        'breaks stored objects',
        'Check that all objects fulfil it first.',
      )
  }
  for (const rule of was) if (!is.some(one => isSame(one, rule))) note(path, `rule removed: ${rule.rule}`, 'safe')
}

/** Records changes in how apply merges lists and maps, and in the items that must be unique. */
export function mergeChanges(old: StructuralSchema, next: StructuralSchema, path: string, note: Note): void {
  const [was, is] = [listText(old), listText(next)]
  if (was !== is) {
    const mustBeUnique = is !== 'atomic'
    note(
      path,
      `list type is ${is}, was ${was}`,
      mustBeUnique ? 'breaks stored objects' : 'breaks clients',
      mustBeUnique
        ? 'Check that no list has two equal items, or two with the same keys.'
        : 'Clients that apply a part of the list will replace all of it.',
    )
  }
  const [wasMap, isMap] = [old, next].map(schema => schema['x-kubernetes-map-type'] ?? 'granular')
  if (wasMap !== isMap)
    note(
      path,
      `map type is ${isMap}, was ${wasMap}`,
      'breaks clients',
      'Clients that apply a part of it own other fields than before.',
    )
}

function listText(schema: StructuralSchema): string {
  const type = schema['x-kubernetes-list-type'] ?? 'atomic'
  return type === 'map' ? `map by ${(schema['x-kubernetes-list-map-keys'] ?? []).toSorted().join(', ')}` : type
}

function rulesOf(schema: StructuralSchema): readonly ValidationRule[] {
  return schema['x-kubernetes-validations'] ?? []
}

/** Whether two rules refuse the same values. Their messages may differ. */
function isSame(one: ValidationRule, other: ValidationRule): boolean {
  return one.rule === other.rule && (one.optionalOldSelf ?? false) === (other.optionalOldSelf ?? false)
}

/** Whether a rule only forbids a change of the value, so that every unchanged object fulfils it. */
function isImmutability({ rule, optionalOldSelf }: ValidationRule): boolean {
  return rule.trim() === 'self == oldSelf' && optionalOldSelf !== true
}
