import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from '@wherry/client/resources/apiextensions'
import { commentText, isPlain, tagText } from './comment.ts'
import { pascal, TypeFile, validation } from './fields.ts'

/** The interfaces of a definition, with the tags from which `wherry crd` makes the same definition. */
export function interfacesOf(definition: CustomResourceDefinition): string {
  const file = new TypeFile()
  const { versions, names } = definition.spec
  // The version that a program most likely reads gets the first name.
  const order = versions.toSorted((one, other) => Number(other.storage) - Number(one.storage))
  const typeNames = new Map(
    order.map(one => [one, file.name(one.storage ? names.kind : `${names.kind}${pascal(one.name)}`)]),
  )
  // In reverse, because the file has the declarations in reverse order.
  for (const version of versions.toReversed()) declareVersion(file, definition, version, typeNames.get(version) ?? '')
  return `${file}`
}

function declareVersion(
  file: TypeFile,
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  name: string,
): void {
  const { description, properties = {}, required = [], type: _, ...rest } = version.schema?.openAPIV3Schema ?? {}
  const { 'x-kubernetes-validations': rules = [], ...others } = rest
  const own = Object.fromEntries(Object.entries(properties).filter(([field]) => !common.includes(field)))
  const members = [
    ...(['apiVersion', 'kind'] as const).map(field =>
      file.member(field, { type: 'string', ...described(properties[field]?.description) }, false, name),
    ),
    `${commentText(properties.metadata?.description ?? '', limitsOfNames(properties.metadata), '  ')}  metadata?: ObjectMeta\n`,
    ...file.members({ properties: own, required }, name),
  ]
  const isText = isPlain(description ?? '')
  const schema = {
    ...(!isText && { description }),
    ...(required.some(field => common.includes(field)) && { required }),
    ...others,
  }
  const tags = [
    ...tagsOf(definition, version, name),
    ...rules.map(validation),
    ...(Object.keys(schema).length === 0 ? [] : [`@schema ${JSON.stringify(schema)}`]),
  ]
  file.declare(name, commentText(isText ? (description ?? '') : '', tags), members)
}

/** The limits of an object's name. */
function limitsOfNames(metadata: JSONSchemaProps | undefined): string[] {
  const { properties = {} } = metadata ?? {}
  return Object.keys(properties).length === 0 ? [] : [`@schema ${JSON.stringify({ properties })}`]
}

const common = ['apiVersion', 'kind', 'metadata']

const described = (description: string | undefined): { description?: string } =>
  description === undefined ? {} : { description }

/** The tags of a version. Only the storage version has the tags for the names of the resource. */
function tagsOf(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  name: string,
): string[] {
  const { group, names, scope, versions, ...more } = definition.spec
  const { subresources, additionalPrinterColumns = [], selectableFields = [] } = version
  const { scale } = subresources ?? {}
  const hasStatus = subresources?.status !== undefined
  const describesStatus = version.schema?.openAPIV3Schema?.properties?.status !== undefined
  const ofStorage = [
    `@plural ${names.plural}`,
    ...(names.singular === undefined ? [] : [`@singular ${names.singular}`]),
    ...(names.listKind === undefined ? [] : [`@listKind ${names.listKind}`]),
    ...(scope === 'Cluster' ? ['@cluster'] : []),
    ...(names.shortNames ?? []).map(one => `@shortName ${one}`),
    ...(names.categories ?? []).map(one => `@category ${one}`),
    ...Object.entries(definition.metadata?.annotations ?? {}).map(
      ([key, value]) => `@annotation ${key} ${tagText(value)}`,
    ),
    ...Object.entries(definition.metadata?.labels ?? {}).map(([key, value]) => `@label ${key} ${tagText(value)}`),
    ...(Object.keys(more).length === 0 ? [] : [`@definition ${JSON.stringify(more)}`]),
    ...(versions.length > 1 ? ['@storage'] : []),
  ]
  return [
    `@group ${group}`,
    `@version ${version.name}`,
    ...(name === names.kind ? [] : [`@kind ${names.kind}`]),
    ...(version.storage ? ofStorage : []),
    ...(version.served ? [] : ['@unserved']),
    ...(version.deprecated === true ? [deprecatedTag(version.deprecationWarning)] : []),
    ...additionalPrinterColumns.map(columnTag),
    ...selectableFields.map(({ jsonPath }) => `@selectableField ${jsonPath}`),
    ...(scale === undefined
      ? []
      : [`@scale ${scale.specReplicasPath} ${scale.statusReplicasPath} ${scale.labelSelectorPath ?? ''}`.trimEnd()]),
    ...(hasStatus === describesStatus ? [] : [hasStatus ? '@statusSubresource' : '@noStatusSubresource']),
  ]
}

function deprecatedTag(warning = ''): string {
  return warning === '' ? '@deprecated' : `@deprecated ${tagText(warning)}`
}

function columnTag({
  name,
  jsonPath,
  ...options
}: { readonly name: string; readonly jsonPath: string } & object): string {
  const given = Object.entries(options).map(([key, value]) => `${key}=${quoted(`${value}`)}`)
  return ['@printColumn', quoted(name), quoted(jsonPath), ...given].join(' ')
}

function quoted(text: string): string {
  return /^[^\s"=]\S*$/.test(text) && !/^\w+=/.test(text) ? text : JSON.stringify(text)
}
