import { type Json, objectAt, stringAt } from '@wherry/cel/internal'
import { invalid } from '../metadata/validate.ts'
import type { KubeObject } from '../objects/object.ts'
import type { Strategies } from '../write/strategy.ts'

const nameLabel = 'kubernetes.io/metadata.name'

function labelled(object: KubeObject): void {
  if ((object.metadata.name ?? '') === '') return
  object.metadata.labels = { ...object.metadata.labels, [nameLabel]: object.metadata.name ?? '' }
}

/** The strategies of Namespaces. */
export const namespaceStrategies: Strategies = {
  namespaces: {
    decode: labelled,
    marked(object) {
      object.status = { ...objectAt(object, 'status'), phase: 'Terminating' }
    },
    create(object) {
      const given = objectAt(object, 'spec')?.finalizers
      const finalizers = Array.isArray(given) ? (given as Json[]) : []
      object.spec = { finalizers: finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'] }
      object.status = { phase: 'Active' }
      labelled(object)
    },
    update(object, old, part) {
      labelled(object)
      // The list of finalizers changes only through the finalize subresource.
      if (part === 'finalize') return
      object.spec = { ...objectAt(object, 'spec'), finalizers: objectAt(old, 'spec')?.finalizers ?? [] }
    },
    problems(object, old) {
      if (old === undefined) return []
      const phase = stringAt(objectAt(object, 'status'), 'phase') ?? ''
      const going = object.metadata.deletionTimestamp !== undefined
      if (phase === (going ? 'Terminating' : 'Active')) return []
      const why = going
        ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
        : "may only be 'Active' if `deletionTimestamp` is empty"
      return [invalid('status.Phase', phase, why)]
    },
    answersDeleted: true,
  },
}
