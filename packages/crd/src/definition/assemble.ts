import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@wherry/client/resources/apiextensions'
import type { StructuralSchema } from '../schema/json-schema.ts'
import { problemsError, type SchemaProblem } from '../schema/problem.ts'
import { columnsOf, type NoteProblem } from './columns.ts'
import { checkNames } from './names.ts'
import type { CustomResourceOptions, OtherVersionOptions, ScalePaths } from './options.ts'
import { fieldAt } from './paths.ts'
import { checkSelectable } from './selectable.ts'

/** The names and other settings that all versions share. */
export interface DefinitionNames
  extends Pick<
    CustomResourceOptions,
    'group' | 'kind' | 'plural' | 'namespaced' | 'listKind' | 'shortNames' | 'categories' | 'annotations'
  > {
  /** @default the kind in lower case */
  readonly singular?: string | undefined
}

/** A version with a schema that is structural already. */
export interface VersionParts
  extends Pick<OtherVersionOptions, 'served' | 'deprecated' | 'scale' | 'printColumns' | 'selectableFields'> {
  readonly name: string
  readonly storage: boolean
  /** The schema of the whole object. */
  readonly schema: StructuralSchema
  /** Whether the status is written on its own. */
  readonly hasStatus: boolean
  /** The beginning of the paths of errors. */
  readonly prefix: string
}

/**
 * The definition of these versions.
 *
 * @throws OptionTypeError with each name, column and path that a server refuses, or that a version's schema does not have
 */
export function assembleDefinition(
  names: DefinitionNames,
  versions: readonly VersionParts[],
): CustomResourceDefinition {
  const { group, kind, plural, namespaced, shortNames, categories, annotations } = names
  const { singular = kind.toLowerCase(), listKind = `${kind}List` } = names
  const problems: SchemaProblem[] = []
  checkNames(names, (path, message) => void problems.push({ path, message }))
  const described = versions.map(version => versionOf(version, problems))
  if (problems.length > 0) throw problemsError(problems)
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
      versions: described,
    },
  }
}

function versionOf(parts: VersionParts, problems: SchemaProblem[]): CustomResourceDefinitionVersion {
  const { name, storage, schema, hasStatus, prefix } = parts
  const { scale, printColumns, selectableFields, served = true, deprecated = false } = parts
  const note: NoteProblem = (option, message) => void problems.push({ path: `${prefix}${option}`, message })
  if (scale !== undefined) checkScale(scale, schema, note)
  checkSelectable(selectableFields ?? [], schema, note)
  const columns = printColumns && columnsOf(printColumns, schema, note)
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
    ...(columns && { additionalPrinterColumns: [...columns] }),
    ...(selectableFields && { selectableFields: selectableFields.map(jsonPath => ({ jsonPath })) }),
  }
}

function checkScale(scale: ScalePaths, schema: StructuralSchema, note: NoteProblem): void {
  const check = (path: string | undefined, starts: readonly string[]): void => {
    if (path === undefined) return
    if (!starts.some(start => path.startsWith(start)))
      note('scale', `names ${path}, which must begin with ${starts.join(' or ')}`)
    else if (fieldAt(schema, path) === undefined) note('scale', `names ${path}, which the schema does not have.`)
  }
  check(scale.specReplicasPath, ['.spec.'])
  check(scale.statusReplicasPath, ['.status.'])
  check(scale.labelSelectorPath, ['.spec.', '.status.'])
}
