import { isObject, type Json, objectAt } from '@wherry/cel/internal'
import { definitionCleanup } from '../definitions/cleanup.ts'
import { completeDefinition } from '../definitions/definition.ts'
import type { Strategies } from '../write/strategy.ts'

/** The strategies of CustomResourceDefinitions. */
export const definitionStrategies: Strategies = {
  'customresourcedefinitions.apiextensions.k8s.io': {
    decode: completeDefinition,
    deletionFinalizer: definitionCleanup,
    marked(object, now) {
      const status = { ...objectAt(object, 'status') }
      const conditions = (Array.isArray(status.conditions) ? status.conditions : []) as Json[]
      const others = conditions.filter(one => !isObject(one) || one.type !== 'Terminating')
      const terminating = {
        type: 'Terminating',
        status: 'True',
        lastTransitionTime: now,
        reason: 'InstanceDeletionPending',
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      }
      object.status = { ...status, conditions: [...others, terminating] }
    },
  },
}
