import { CustomObjectsApi, type KubernetesObject, makeInformer } from '@kubernetes/client-node'
import { constraintGroup } from '../../../../examples/policy-sync/constraint.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { group, kinds, measurePolicy, pluralOf, templateOf } from './measure.ts'

/** One informer for each registrar and kind. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measurePolicy(context, async address => {
    const config = kubeConfigFor(address)
    const api = config.makeApiClient(CustomObjectsApi)
    const begin = (of: string, plural: string) => {
      const list = () => api.listCustomObjectForAllNamespaces({ group: of, version: 'v1', resourcePlural: plural })
      const informer = makeInformer<KubernetesObject>(config, `/apis/${of}/v1/${plural}`, list)
      const counter = { count: 0, stop: () => informer.stop() }
      informer.on('add', () => void counter.count++)
      informer.on('delete', () => void counter.count--)
      return { counter, started: informer.start() }
    }
    const all = Array.from({ length: kinds }, (_, index) => index)
    const synced = all.map(index => begin(group, pluralOf(index)))
    const audited = all.map(index => begin(group, pluralOf(index)))
    const constraints = all.map(index => begin(constraintGroup, templateOf(index).metadata?.name ?? ''))
    await Promise.all([...synced, ...audited, ...constraints].map(({ started }) => started))
    const countIn = (informers: typeof synced): number => informers.reduce((sum, { counter }) => sum + counter.count, 0)
    return {
      count: () => Math.min(countIn(synced), countIn(audited)),
      isComplete: () => constraints.every(({ counter }) => counter.count === 1),
      close: async () => {
        await Promise.all([...synced, ...audited, ...constraints].map(({ counter }) => counter.stop()))
      },
    }
  })
}
