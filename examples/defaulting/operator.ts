import type { Operator } from '@wherry/controller'
import { notices } from './notice.ts'

/** Says in the status of each notice how many of its lines are shown. */
export function declareNotices(operator: Operator): void {
  operator
    .controller('notice')
    .for(notices)
    .reconcile(async ({ object, status }) => {
      const { body, lines = Number.POSITIVE_INFINITY } = object.spec.text
      // No request if the status says so already.
      await status({ lines: Math.min(lines, body.split('\n').length) })
    })
}
