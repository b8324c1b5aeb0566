import { CustomObjectsApi, type KubernetesObject, makeInformer } from '@kubernetes/client-node'
import { constraintGroup } from '../../../../examples/policy-sync/constraint.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { ClientNodeAudit } from './client-node-audit.ts'
import { group, kinds, measurePolicy, pluralOf, templateOf } from './measure.ts'

/** One informer for each registrar and kind, and audits of what those of the registrar `audit` have. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measurePolicy(context, async address => {
    const config = kubeConfigFor(address)
    const api = config.makeApiClient(CustomObjectsApi)
    const begin = (of: string, plural: string, changed?: () => void) => {
      const list = () => api.listCustomObjectForAllNamespaces({ group: of, version: 'v1', resourcePlural: plural })
      const informer = makeInformer<KubernetesObject>(config, `/apis/${of}/v1/${plural}`, list)
      const counter = { count: 0, informer }
      informer.on('add', () => void counter.count++)
      informer.on('delete', () => void counter.count--)
      if (changed) informer.on('change', changed)
      return { counter, started: informer.start() }
    }
    const all = Array.from({ length: kinds }, (_, index) => index)
    const synced = all.map(index => begin(group, pluralOf(index)))
    const audits: ClientNodeAudit[] = []
    const audited = all.map(index => {
      const audit = new ClientNodeAudit(config, templateOf(index), () => begun.counter.informer.list())
      audits.push(audit)
      const begun = begin(group, pluralOf(index), () => audit.changed())
      return begun
    })
    const constraints = all.map(index => begin(constraintGroup, templateOf(index).metadata?.name ?? ''))
    const informers = [...synced, ...audited, ...constraints]
    await Promise.all(informers.map(({ started }) => started))
    const countIn = (of: typeof synced): number => of.reduce((sum, { counter }) => sum + counter.count, 0)
    return {
      count: () => Math.min(countIn(synced), countIn(audited)),
      isComplete: () => constraints.every(({ counter }) => counter.count === 1),
      close: async () => {
        await Promise.all(audits.map(audit => audit.close()))
        await Promise.all(informers.map(({ counter }) => counter.informer.stop()))
      },
    }
  })
}
