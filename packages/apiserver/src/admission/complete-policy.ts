import { type JsonObject, objectAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import { completeRules } from './configuration.ts'

/** Fills in the optional fields of a policy or a binding, as the server does. */
export function completePolicy(object: KubeObject): void {
  const given = objectAt(object, 'spec')
  if (given === undefined) return
  const spec: JsonObject = { ...given }
  if (!object.kind.endsWith('Binding')) spec.failurePolicy ??= 'Fail'
  for (const field of ['matchConstraints', 'matchResources']) {
    const resources = objectAt(spec, field)
    if (resources !== undefined) spec[field] = completed(resources)
  }
  object.spec = spec
}

function completed(given: JsonObject): JsonObject {
  const resources: JsonObject = { ...given }
  resources.matchPolicy ??= 'Equivalent'
  resources.namespaceSelector ??= {}
  resources.objectSelector ??= {}
  for (const field of ['resourceRules', 'excludeResourceRules']) completeRules(resources, field)
  return resources
}
