import type { CustomResource } from '@wherry/crd'
import { gameOf } from './game-of.ts'

const rule = (text: string) => ({ 'x-kubernetes-validations': [{ rule: text }] })

/** A module with a rule that the API server would refuse: the list has no bound. */
export const game: CustomResource = gameOf({
  type: 'object',
  properties: {
    names: {
      type: 'array',
      items: { type: 'string' },
      ...rule('self.all(one, self.all(other, other.contains(one)))'),
    },
  },
})
