import { OptionRangeError } from '../errors/option.ts'
import type { ObjectKey } from './object.ts'
import type { ResourceDefinition } from './resource.ts'
import { checkSegment, encodeSegment } from './segment.ts'

/** `group/version/plural`, as errors and metrics name a resource; the core group is left out. */
export function resourceName({ group, version, plural }: ResourceDefinition): string {
  return group === '' ? `${version}/${plural}` : `${group}/${version}/${plural}`
}

/** `apiVersion` of a resource's objects. */
export function apiVersionOf({ group, version }: ResourceDefinition): string {
  return group === '' ? version : `${group}/${version}`
}

/** `namespace/name`, or `name` for a cluster-scoped resource. */
export function keyText({ namespace, name }: { namespace?: string | undefined; name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

/**
 * The path of all objects of a resource, or of those in one namespace.
 *
 * @throws InvalidNameError for a namespace that can't be in a path
 */
export function collectionPath(resource: ResourceDefinition, namespace?: string | undefined): string {
  const { plural } = resource
  const within = namespace === undefined ? '' : `/namespaces/${encodeSegment('namespace', namespace, plural)}`
  if (namespace !== undefined && !resource.namespaced) {
    throw new OptionRangeError('namespace', `nothing for ${plural}, which have none`, JSON.stringify(namespace))
  }
  return `${versionPath(resource)}${within}/${encodeSegment('plural', plural)}`
}

/** The path of one version of an API group. */
export function versionPath({ group, version }: Pick<ResourceDefinition, 'group' | 'version'>): string {
  const root = group === '' ? '/api' : `/apis/${encodeSegment('group', group)}`
  return `${root}/${encodeSegment('version', version)}`
}

/**
 * The path of one object, or of a subresource.
 *
 * @throws InvalidNameError for a name or namespace that can't be in a path, before any request (rule X1)
 */
export function objectPath(resource: ResourceDefinition, key: ObjectKey, subresource?: string | undefined): string {
  const namespace = resource.namespaced ? checkSegment('namespace', key.namespace, resource.plural) : key.namespace
  const path = `${collectionPath(resource, namespace)}/${encodeSegment('name', key.name, resource.plural)}`
  return subresource === undefined ? path : `${path}/${encodeSegment('subresource', subresource)}`
}

/** A query string with its `?`; parameters that are `undefined` or `''` are left out. It is joined to one string, because a watch keeps it in memory. */
export function queryText(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const parts: string[] = []
  for (const name in parameters) {
    const value = parameters[name]
    if (value !== undefined && value !== '') parts.push(`${encoded(name)}=${encoded(`${value}`)}`)
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** Texts that encodeURIComponent encodes as URLSearchParams do, which are slower. */
const plain = /^[\x22-\x26\x2a-\x7d]*$/

function encoded(text: string): string {
  return plain.test(text) ? encodeURIComponent(text) : new URLSearchParams([['', text]]).toString().slice(1)
}
