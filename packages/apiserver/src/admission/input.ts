import type { JsonObject } from '@wherry/cel/internal'
import type { Input } from '@wherry/cel/internal/evaluator'
import type { AccessControl } from '../authn/access.ts'
import type { KubeObject } from '../objects/object.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { type Attributes, reviewRequest } from './review.ts'

/** The parts of the server that expressions need for a request. */
export interface InputHost {
  /** Converts an object from a version of its resource to another. */
  convert(object: KubeObject, to: ResourceType): KubeObject
  /** Whether an access is allowed. The `authorizer` of expressions calls it. */
  readonly decide: AccessControl['decide']
}

/** A request's attributes with its objects at another version. */
export function atVersion(asked: Attributes, at: ResourceType, { convert }: Pick<InputHost, 'convert'>): Attributes {
  if (at === asked.type) return asked
  const shown = (object: JsonObject | undefined): JsonObject | undefined =>
    object === undefined ? object : convert(object as KubeObject, at)
  return { ...asked, object: shown(asked.object), oldObject: shown(asked.oldObject) }
}

/** The variables of expressions about a request, without params and the namespace, which only expressions of policies have. */
export function inputOf(asked: Attributes, at: ResourceType, host: InputHost): Input {
  const { type, subresource, namespace, name, user } = asked
  const { object, oldObject, ...request } = reviewRequest(atVersion(asked, at, host), at)
  return {
    ...{ object, oldObject, request, namespaceObject: undefined, params: undefined, user },
    typed: { object: !type.custom || subresource === 'scale', params: false },
    decide: host.decide,
    resource: { group: type.group, resource: type.plural, subresource, namespace, name },
  }
}
