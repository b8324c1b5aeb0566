import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { parse, stringify } from 'yaml'
import { same } from '../schema/json-schema.ts'

/** A definition as a manifest for `kubectl apply`. Equal definitions give the same text. */
export function definitionYaml(definition: CustomResourceDefinition): string {
  // Aliases would hide that two fields have the same schema, and long lines are not folded: both make differences easier to read.
  // Kubernetes reads YAML 1.1, to which a bare `yes` is true: such texts are quoted.
  return stringify(definition, { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' })
}

/**
 * Whether the text of a manifest is that of `definition`. Comments, the layout and the order of fields make no difference.
 *
 * @returns false for a text that is stale, or that is not one YAML document
 */
export function isCurrentYaml(text: string, definition: CustomResourceDefinition): boolean {
  try {
    return same(parse(text), parse(definitionYaml(definition)))
  } catch {
    return false
  }
}
