import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { same } from '../schema/json-schema.ts'
import { readYaml } from '../yaml/read.ts'
import { yamlText } from '../yaml/write.ts'
import { YamlError } from '../yaml/yaml-error.ts'

/**
 * A definition as a manifest for `kubectl apply`. Equal definitions give the same text.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs'
 * import { Client } from '@wherry/client'
 * import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
 * import { definitionYaml } from '@wherry/crd'
 *
 * const client = await Client.connect()
 * const definition = await client.get(customResourceDefinitions, { name: 'games.arcade.example.com' })
 * if (definition !== undefined) writeFileSync('games.yaml', definitionYaml(definition))
 * ```
 */
export function definitionYaml(definition: CustomResourceDefinition): string {
  // `yamlText` writes no aliases and folds no lines, which makes differences easier to read.
  return yamlText(definition)
}

/**
 * Whether a manifest has the contents of `definition`. Comments, the layout and the order of fields make no difference.
 *
 * @returns false for a stale text, or a text that is not a single document of YAML for kubectl
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { Client } from '@wherry/client'
 * import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
 * import { isCurrentYaml } from '@wherry/crd'
 *
 * const client = await Client.connect()
 * const definition = await client.get(customResourceDefinitions, { name: 'games.arcade.example.com' })
 * if (definition !== undefined) console.log(isCurrentYaml(readFileSync('games.yaml', 'utf8'), definition))
 * ```
 */
export function isCurrentYaml(text: string, definition: CustomResourceDefinition): boolean {
  try {
    const [found, ...others] = readYaml(text)
    return others.length === 0 && same(found, readYaml(definitionYaml(definition))[0])
  } catch (error) {
    if (error instanceof YamlError) return false
    throw error
  }
}
