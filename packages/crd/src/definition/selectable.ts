import type { StructuralSchema } from '../schema/json-schema.ts'
import type { NoteProblem } from './columns.ts'
import { fieldAt } from './paths.ts'

/** The maximum number of selectable fields that a server allows in a version. */
const most = 8

/** Records each selectable field that the server refuses. */
export function checkSelectable(paths: readonly string[], schema: StructuralSchema, note: NoteProblem): void {
  const refuse = (message: string): void => note('selectableFields', message)
  const seen = new Set<string>()
  for (const path of paths) {
    if (seen.has(path)) refuse(`names ${path} twice. Leave one out.`)
    else if (/^\.metadata(\.|$)/.test(path))
      refuse(`names ${path}, a field of the metadata. Name and namespace are always selectable, and no others are.`)
    else checkType(path, fieldAt(schema, path), refuse)
    seen.add(path)
  }
  if (seen.size > most) refuse(`names ${seen.size} fields, and a server takes ${most} at most.`)
}

function checkType(path: string, field: StructuralSchema | undefined, refuse: (message: string) => void): void {
  if (!path.startsWith('.')) refuse(`names ${path}, which must begin with a dot: .spec.color.`)
  else if (field === undefined) refuse(`names ${path}, which the schema does not have.`)
  else if (!['string', 'integer', 'boolean'].includes(field.type ?? ''))
    refuse(`names ${path}, which is not a string, an integer or a boolean.`)
}
