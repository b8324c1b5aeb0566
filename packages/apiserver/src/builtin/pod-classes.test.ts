import { expect, it } from 'vitest'
import { withServer } from '../testkit/in-memory.ts'

const classes = '/apis/scheduling.k8s.io/v1/priorityclasses'
const pods = '/api/v1/namespaces/default/pods'
const pod = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
})

it('F4: a Pod without a class gets the rank of the default class with the lowest value', () =>
  withServer(async ({ call }) => {
    const rankOf = async (name: string): Promise<object> => {
      const { status, json } = await call('POST', pods, pod(name))
      expect(status).toBe(201)
      const { priority, preemptionPolicy, priorityClassName } = json.spec
      return { priority, preemptionPolicy, priorityClassName }
    }
    expect(await rankOf('a')).toEqual({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' })
    await call('POST', classes, { metadata: { name: 'x' }, value: 9, globalDefault: true })
    await call('POST', classes, { metadata: { name: 'other' }, value: 1, globalDefault: false })
    expect(await rankOf('b')).toEqual({ priority: 9, preemptionPolicy: 'PreemptLowerPriority', priorityClassName: 'x' })
    const lower = { metadata: { name: 'y' }, value: 5, globalDefault: true, preemptionPolicy: 'Never' }
    await call('POST', classes, lower)
    expect(await rankOf('c')).toEqual({ priority: 5, preemptionPolicy: 'Never', priorityClassName: 'y' })
  }))

it('F4: a server without the objects of a cluster knows the classes of the system', () =>
  withServer(async ({ call }) => {
    const { json } = await call('POST', pods, pod('a', { priorityClassName: 'system-cluster-critical' }))
    expect(json.spec).toMatchObject({ priority: 2_000_000_000, priorityClassName: 'system-cluster-critical' })
    for (const priorityClassName of ['none', 'constructor']) {
      const refused = await call('POST', pods, pod('b', { priorityClassName }))
      expect(refused.status).toBe(403)
    }
  }))
