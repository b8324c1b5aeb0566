import { Operator } from '@wherry/controller'
import { textOf } from '../../../../examples/policy-sync/kinds.ts'
import { cache, declarePolicySync } from '../../../../examples/policy-sync/operator.ts'
import { constraintKind } from '../../../../examples/policy-sync/template.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { clientFor } from '../../server/wherry.ts'
import { auditDelayMs, kindOf, kinds, measurePolicy, templateOf } from './measure.ts'

/** The example's operator, as it is. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measurePolicy(context, async address => {
    const client = clientFor(address)
    const operator = new Operator({ name: 'policy-sync', client, cache })
    const { synced, audited, constraints } = declarePolicySync(operator, { auditDelayMs })
    const running = operator.run({ signals: false })
    const all = Array.from({ length: kinds }, (_, index) => index)
    const names = all.map(index => textOf(kindOf(index)))
    const ofConstraints = all.map(index => constraintKind(templateOf(index)))
    const countIn = (store: typeof synced): number => names.reduce((sum, name) => sum + store.count(name), 0)
    return {
      count: () => Math.min(countIn(synced), countIn(audited)),
      isComplete: () =>
        names.every(name => synced.isReady(name) && audited.isReady(name)) &&
        ofConstraints.every(name => constraints.count(name) === 1),
      close: async () => {
        await operator.close()
        await running
        await client.close()
      },
    }
  })
}
