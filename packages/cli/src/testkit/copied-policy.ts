import { configMaps } from '@wherry/client/resources/core'
import { policy, type ValidatingPolicy } from '@wherry/crd'

/** Another policy of the same name. */
export const owner: ValidatingPolicy = policy(configMaps, {
  name: 'owner',
  validations: [{ expression: 'has(object.data)' }],
})
