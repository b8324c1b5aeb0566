import { expect, it } from 'vitest'
import { merge, withServer } from '../testkit/in-memory.ts'

it('F1: a namespace that is being deleted says what it waits for, until that is gone', () =>
  withServer(async ({ call, sim }) => {
    const shop = '/api/v1/namespaces/shop'
    const finalizers = ['example.com/a']
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } })
    for (const name of ['a', 'b']) await call('POST', `${shop}/configmaps`, { metadata: { name, finalizers } })
    await call('DELETE', shop)
    await sim.advance(100)
    const messages = async (): Promise<string[]> =>
      (await call('GET', shop)).json.status.conditions
        .filter(({ status }: { status: string }) => status === 'True')
        .map(({ message }: { message: string }) => message)
    expect(await messages()).toEqual([
      'Some resources are remaining: configmaps. has 2 resource instances',
      'Some content in the namespace has finalizers remaining: example.com/a in 2 resource instances',
    ])
    // Nothing changes, so nothing is written.
    const before = (await call('GET', shop)).json.metadata.resourceVersion
    await sim.advance(60_000)
    expect((await call('GET', shop)).json.metadata.resourceVersion).toBe(before)
    await call('PATCH', `${shop}/configmaps/a`, { metadata: { finalizers: null } }, merge)
    await sim.advance(100)
    expect(await messages()).toContain('Some resources are remaining: configmaps. has 1 resource instances')
    await call('PATCH', `${shop}/configmaps/b`, { metadata: { finalizers: null } }, merge)
    await sim.advance(100)
    expect((await call('GET', shop)).status).toBe(404)
  }))
