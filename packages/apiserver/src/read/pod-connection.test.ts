import { expect, it } from 'vitest'
import { withServer } from '../testkit/in-memory.ts'

it('F1: nobody is connected to a Pod: it is on no node, or on one that does not run', () =>
  withServer(async ({ call }) => {
    const pods = '/api/v1/namespaces/default/pods'
    const containers = [{ name: 'c', image: 'i' }]
    await call('POST', pods, { metadata: { name: 'a' }, spec: { containers } })
    await call('POST', pods, { metadata: { name: 'b' }, spec: { containers, nodeName: 'n' } })
    const statuses: [string, number][] = []
    for (const path of ['a/exec', 'a/attach', 'a/portforward', 'a/exec?container=none', 'b/exec', 'none/exec'])
      statuses.push([path, (await call('GET', `${pods}/${path}`)).status])
    expect(Object.fromEntries(statuses)).toEqual({
      'a/exec': 400,
      'a/attach': 400,
      'a/portforward': 400,
      'a/exec?container=none': 400,
      'b/exec': 501,
      'none/exec': 404,
    })
  }))
