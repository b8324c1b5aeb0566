import { afterEach, beforeEach, expect, it } from 'vitest'
import { imageReference } from '../registry/reference.ts'
import { TestProxy } from '../testkit/proxy.ts'
import { withRepository } from './registry-access.ts'

let proxy: TestProxy
beforeEach(async () => {
  proxy = await TestProxy.start()
})
afterEach(() => proxy.close())

// Nothing listens there.
const host = '0.0.0.0:1'

it.each([
  ['HTTPS_PROXY', {}, [host]],
  ['https_proxy', {}, [host]],
  ['ALL_PROXY', {}, [host]],
  ['https_proxy', { no_proxy: '10.0.0.0/8' }, [host]],
  ['https_proxy', { no_proxy: '0.0.0.0/8' }, []],
  ['HTTPS_PROXY', { NO_PROXY: 'x,0.0.0.0:1' }, []],
  ['HTTP_PROXY', {}, []],
])('a registry is asked through the proxy of %s with %o: %j', async (name, env, targets) => {
  const image = imageReference(`${host}/catalogs/community:latest`)
  const asked = withRepository(image, { DOCKER_CONFIG: '/nowhere', [name]: proxy.url, ...env }, one => one.resolve('x'))
  await expect(asked).rejects.toMatchObject({ reason: 'RegistryUnavailable' })
  expect([...new Set(proxy.targets)]).toEqual(targets)
})
