import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { group, kind, plural, version } from './names.ts'
import { checkSchema } from './schema.ts'
import {
  checkFields,
  flag,
  isRecord,
  list,
  listOf,
  matching,
  needed,
  oneOf,
  record,
  ShapeError,
  text,
  texts,
  textsByName,
} from './shape.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * A definition that a user wrote, after its form and its names were checked: its readers may rely on its type. The rules of structural schemas are left
 * to a server.
 *
 * @throws ShapeError with the path of the wrong value, in one line
 */
export function checkedDefinition(value: Fields): CustomResourceDefinition {
  if (value.apiVersion !== 'apiextensions.k8s.io/v1')
    throw new ShapeError(
      'apiVersion',
      `it takes apiextensions.k8s.io/v1, not ${JSON.stringify(value.apiVersion)?.slice(0, 60)}`,
    )
  const metadata = needed(value, 'metadata', record, '') as Fields
  checkFields(metadata, { labels: textsByKey, annotations: textsByKey }, 'metadata')
  const name = needed(metadata, 'name', text, 'metadata')
  const spec = needed(value, 'spec', record, '') as Fields
  const names = needed(spec, 'names', record, 'spec') as Fields
  const domain = needed(spec, 'group', group, 'spec')
  needed(names, 'kind', kind, 'spec.names')
  const resource = needed(names, 'plural', plural, 'spec.names')
  checkFields(
    names,
    { singular: plural, listKind: kind, shortNames: listOf(plural), categories: listOf(plural) },
    'spec.names',
  )
  if (name !== `${resource}.${domain}`)
    throw new ShapeError('metadata.name', `it takes <plural>.<group>, here ${resource}.${domain}`)
  needed(spec, 'scope', oneOf('Namespaced', 'Cluster'), 'spec')
  checkFields(spec, { preserveUnknownFields: flag, conversion: record }, 'spec')
  checkVersions(needed(spec, 'versions', list, 'spec') as readonly unknown[])
  return value as unknown as CustomResourceDefinition
}

function checkVersions(versions: readonly unknown[]): void {
  const seen = new Set<unknown>()
  for (const [at, one] of versions.entries()) {
    const path = `spec.versions[${at}]`
    if (!isRecord(one)) throw new ShapeError(path, 'a version is a map')
    const name = needed(one, 'name', version, path)
    if (seen.has(name)) throw new ShapeError(`${path}.name`, `${name} is there twice`)
    seen.add(name)
    needed(one, 'served', flag, path)
    needed(one, 'storage', flag, path)
    checkFields(one, { deprecated: flag, deprecationWarning: text, schema: record, subresources: record }, path)
    checkFields(one, { additionalPrinterColumns: listOf(column), selectableFields: listOf(selectable) }, path)
    checkSubresources((one.subresources ?? {}) as Fields, `${path}.subresources`)
    const { schema = {} } = one as { readonly schema?: Fields }
    checkFields(schema, { openAPIV3Schema: record }, `${path}.schema`)
    if (schema.openAPIV3Schema !== undefined) checkSchema(schema.openAPIV3Schema, `${path}.schema.openAPIV3Schema`)
  }
  const stored = versions.filter(one => isRecord(one) && one.storage === true)
  if (stored.length !== 1) throw new ShapeError('spec.versions', `one version has storage: true, not ${stored.length}`)
}

function checkSubresources(subresources: Fields, path: string): void {
  checkFields(subresources, { status: record, scale: record }, path)
  const { scale } = subresources as { readonly scale?: Fields }
  if (scale === undefined) return
  for (const field of ['specReplicasPath', 'statusReplicasPath']) needed(scale, field, jsonPath, `${path}.scale`)
  checkFields(scale, { labelSelectorPath: jsonPath }, `${path}.scale`)
}

/** Texts by key, such as labels. A key must be a word, because it stands before its value in a comment. */
const textsByKey = {
  takes: 'texts by keys such as example.com/name',
  ok: (one: unknown) =>
    textsByName.ok(one) && Object.keys(one as object).every(key => /^[A-Za-z0-9]([\w./-]*[A-Za-z0-9])?$/.test(key)),
}

/** A JSON path. It must be a word, because it is written in a comment. */
const jsonPath = matching(/^\S+$/, 10_000, 'a JSON path without spaces')

const column = {
  takes: 'a map with the texts name, type and jsonPath',
  ok: (one: unknown) =>
    isRecord(one) && texts.ok([one.name, one.type, one.jsonPath, one.description ?? '', one.format ?? '']),
}

const selectable = {
  takes: 'a map with the text jsonPath',
  ok: (one: unknown) => isRecord(one) && jsonPath.ok(one.jsonPath),
}
