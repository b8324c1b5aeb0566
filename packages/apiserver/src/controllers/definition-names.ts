import { type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'

/** The decision about the names of a definition: the names that the server accepts, and the reason if it does not accept all. */
export interface DecidedNames {
  readonly accepted: JsonObject
  readonly conflict: { readonly reason: string; readonly message: string } | undefined
}

/** Decides on the names of a definition, given the names of the other definitions in its group. */
export function decideNames(definition: KubeObject, others: Iterable<KubeObject>): DecidedNames {
  const { resources, kinds } = takenNames(definition, others)
  const asked = objectAt(objectAt(definition, 'spec'), 'names') ?? {}
  const had = acceptedNames(definition)
  const accepted: JsonObject = { ...had }
  let conflict: DecidedNames['conflict']
  const one = (field: string, taken: ReadonlySet<string>): void => {
    const name = stringAt(asked, field) ?? ''
    if (name === stringAt(had, field) || !taken.has(name)) accepted[field] = name
    else conflict = { reason: `${field[0]?.toUpperCase()}${field.slice(1)}Conflict`, message: inUse(name) }
  }
  one('plural', resources)
  one('singular', resources)
  const before = stringsAt(had, 'shortNames')
  const refused = stringsAt(asked, 'shortNames').filter(name => !before.includes(name) && resources.has(name))
  if (refused.length === 0) copy(asked, accepted, 'shortNames')
  else {
    const messages = [...new Set(refused.map(inUse))]
    const message = messages.length === 1 ? `${messages[0]}` : `[${messages.join(', ')}]`
    conflict = { reason: 'ShortNamesConflict', message }
  }
  one('kind', kinds)
  one('listKind', kinds)
  copy(asked, accepted, 'categories')
  return { accepted, conflict }
}

/** The status `NamesAccepted` of a definition; `undefined` before the decision. */
export function namesAccepted(definition: KubeObject): string | undefined {
  const conditions = objectsAt(objectAt(definition, 'status'), 'conditions')
  return stringAt(
    conditions.find(({ type }) => type === 'NamesAccepted'),
    'status',
  )
}

/** The names that a definition has. */
export function acceptedNames(definition: KubeObject): JsonObject {
  return objectAt(objectAt(definition, 'status'), 'acceptedNames') ?? {}
}

function takenNames(
  { metadata }: KubeObject,
  others: Iterable<KubeObject>,
): { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> } {
  const resources = new Set<string>()
  const kinds = new Set<string>()
  const add = (to: Set<string>, name: string | undefined): unknown => name && to.add(name)
  for (const other of others) {
    if (other.metadata.name === metadata.name) continue
    const names = acceptedNames(other)
    for (const field of ['plural', 'singular']) add(resources, stringAt(names, field))
    for (const name of stringsAt(names, 'shortNames')) add(resources, name)
    for (const field of ['kind', 'listKind']) add(kinds, stringAt(names, field))
  }
  return { resources, kinds }
}

function copy(from: JsonObject, to: JsonObject, field: string): void {
  const value = from[field]
  if (value === undefined) delete to[field]
  else to[field] = value
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`
}
