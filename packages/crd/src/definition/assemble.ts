import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from '@wherry/client/resources/apiextensions'
import type { StructuralSchema } from '../schema/json-schema.ts'
import { problemsError, type SchemaProblem } from '../schema/problem.ts'
import type { CustomResourceOptions, OtherVersionOptions } from './options.ts'
import { fieldAt } from './paths.ts'

/** The names and other things that all versions share. */
export interface DefinitionNames
  extends Pick<
    CustomResourceOptions,
    'group' | 'kind' | 'plural' | 'namespaced' | 'shortNames' | 'categories' | 'annotations'
  > {
  /** @default the kind in lower case */
  readonly singular?: string | undefined
  /** @default the kind and `List` */
  readonly listKind?: string | undefined
}

/** A version whose schema is structural already. */
export interface VersionParts
  extends Pick<OtherVersionOptions, 'served' | 'deprecated' | 'scale' | 'printColumns' | 'selectableFields'> {
  readonly name: string
  readonly storage: boolean
  /** The schema of the whole object. */
  readonly schema: StructuralSchema
  /** Whether the status is written on its own. */
  readonly hasStatus: boolean
  /** What the paths of errors begin with. */
  readonly prefix: string
}

/**
 * The definition of these versions.
 *
 * @throws OptionTypeError with each path that a version's schema does not have
 */
export function assembleDefinition(
  names: DefinitionNames,
  versions: readonly VersionParts[],
): CustomResourceDefinition {
  const { group, kind, plural, namespaced, shortNames, categories, annotations } = names
  const { singular = kind.toLowerCase(), listKind = `${kind}List` } = names
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...(annotations && { annotations: { ...annotations } }) },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: {
        kind,
        listKind,
        plural,
        singular,
        ...(shortNames && { shortNames: [...shortNames] }),
        ...(categories && { categories: [...categories] }),
      },
      versions: versions.map(versionOf),
    },
  }
}

function versionOf(parts: VersionParts): CustomResourceDefinitionVersion {
  const { name, storage, schema, hasStatus, prefix } = parts
  const { scale, printColumns, selectableFields, served = true, deprecated = false } = parts
  const problems: SchemaProblem[] = []
  const find = (path: string, where: string): StructuralSchema | undefined => {
    const found = fieldAt(schema, path)
    if (found === undefined)
      problems.push({ path: `${prefix}${where}`, message: `names ${path}, which the schema does not have.` })
    return found
  }
  for (const path of Object.values(scale ?? {})) if (path !== undefined) find(path, 'scale')
  for (const path of selectableFields ?? []) {
    const type = find(path, 'selectableFields')?.type
    if (type !== undefined && !['string', 'integer', 'boolean'].includes(type))
      problems.push({
        path: `${prefix}selectableFields`,
        message: `names ${path}, which is not a string, an integer or a boolean.`,
      })
  }
  const columns = printColumns?.map((column): CustomResourceColumnDefinition => {
    const plain = /^(\.[\w-]+)+$/.test(column.jsonPath) && !column.jsonPath.startsWith('.metadata')
    const field = plain ? find(column.jsonPath, 'printColumns') : undefined
    return { ...column, type: column.type ?? columnType(field) }
  })
  if (problems.length > 0) throw problemsError(problems)
  return {
    name,
    served,
    storage,
    ...(deprecated !== false && { deprecated: true }),
    ...(typeof deprecated === 'string' && { deprecationWarning: deprecated }),
    schema: { openAPIV3Schema: schema },
    ...((hasStatus || scale) && {
      subresources: { ...(hasStatus && { status: {} }), ...(scale && { scale: { ...scale } }) },
    }),
    ...(columns && { additionalPrinterColumns: columns }),
    ...(selectableFields && { selectableFields: selectableFields.map(jsonPath => ({ jsonPath })) }),
  }
}

/** What kubectl prints a field as. */
function columnType(field: StructuralSchema | undefined): string {
  if (field?.format === 'date-time') return 'date'
  return ['integer', 'number', 'boolean'].includes(field?.type ?? '') ? (field?.type as string) : 'string'
}
