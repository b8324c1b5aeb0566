import { defineResource, OptionTypeError } from '@wherry/client'
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from '@wherry/client/resources/apiextensions'
import type { StructuralSchema } from '../schema/json-schema.ts'
import { problemsError, type SchemaProblem } from '../schema/problem.ts'
import { structuralSchema } from '../schema/structural.ts'
import type { CustomResourceOptions, OtherVersionOptions, VersionOptions } from './options.ts'
import { fieldAt } from './paths.ts'
import type { CustomResource } from './types.ts'

/**
 * Defines a custom resource once: its CustomResourceDefinition, the view of its objects and, by `ObjectOf` and `WrittenOf`, their types.
 *
 * Call it in a file of its own that tools and tests import. An operator imports only types from there: the schema library is then not loaded in
 * production.
 *
 * @throws OptionTypeError with the path of each part that the server would refuse, or that would be lost
 * @throws InvalidNameError for a name that can't be part of a path
 */
export function defineCustomResource<const O extends CustomResourceOptions>(options: O): CustomResource<O> {
  const { group, version, kind, plural, namespaced, shortNames, categories, versions = {}, annotations } = options
  const resource = defineResource<{ metadata?: object }>({ group, version, kind, plural, namespaced })
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(group))
    throw new OptionTypeError('group', 'a domain with a dot: arcade.example.com', JSON.stringify(group))
  if (version in versions)
    throw new OptionTypeError(
      'versions',
      `versions other than '${version}', which is described outside`,
      `'${version}' too`,
    )
  const others = Object.entries(versions).map(([name, one]) => versionOf(name, one, false))
  const definition: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...(annotations && { annotations: { ...annotations } }) },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames && { shortNames: [...shortNames] }),
        ...(categories && { categories: [...categories] }),
      },
      versions: [versionOf(version, options, true), ...others],
    },
  }
  return { definition, resource, options } as unknown as CustomResource<O>
}

function versionOf(
  name: string,
  options: VersionOptions & Partial<OtherVersionOptions>,
  storage: boolean,
): CustomResourceDefinitionVersion {
  const { spec, status, scale, printColumns, selectableFields, served = true, deprecated = false } = options
  const prefix = storage ? '' : `versions.${name}.`
  const schema = objectSchema(
    structuralSchema(spec, { path: `${prefix}spec` }),
    status && structuralSchema(status, { path: `${prefix}status` }),
    options,
  )
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
    ...((status || scale) && {
      subresources: { ...(status && { status: {} }), ...(scale && { scale: { ...scale } }) },
    }),
    ...(columns && { additionalPrinterColumns: columns }),
    ...(selectableFields && { selectableFields: selectableFields.map(jsonPath => ({ jsonPath })) }),
  }
}

function objectSchema(
  spec: StructuralSchema,
  status: StructuralSchema | undefined,
  options: VersionOptions,
): StructuralSchema {
  const { validations, description } = options
  const text = { type: 'string' }
  return {
    ...(description !== undefined && { description }),
    type: 'object',
    properties: { apiVersion: text, kind: text, metadata: { type: 'object' }, spec, ...(status && { status }) },
    ...(spec.default === undefined && { required: ['spec'] }),
    ...(validations && { 'x-kubernetes-validations': [...validations] }),
  }
}

/** What kubectl prints a field as. */
function columnType(field: StructuralSchema | undefined): string {
  if (field?.format === 'date-time') return 'date'
  return ['integer', 'number', 'boolean'].includes(field?.type ?? '') ? (field?.type as string) : 'string'
}
