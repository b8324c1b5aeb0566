import type { CustomResource } from '@wherry/crd'
import { gameOf } from './game-of.ts'

const rule = (text: string) => ({ 'x-kubernetes-validations': [{ rule: text }] })

/** A module with rules that the API server would refuse: the name is wrong, and the list has no bound. */
export const game: CustomResource = gameOf({
  type: 'object',
  properties: {
    players: { type: 'integer', ...rule('self.none > 1') },
    names: {
      type: 'array',
      items: { type: 'string' },
      ...rule('self.all(one, self.all(other, other.contains(one)))'),
    },
  },
})
