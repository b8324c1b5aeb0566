import { Client, type Environment, isForbidden } from '@wherry/client'
import { type ReadTarget, targetsOf } from '@wherry/client/internal'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { clusterRoleBindings, clusterRoles } from '@wherry/client/resources/rbac'
import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Informer } from './informer.ts'
import { Reflector } from './reflector/reflector.ts'
import { RecordingWriter } from './testkit/recording-writer.ts'
import { behavesAsAnInformer, relistsAfter } from './testkit/scenarios.ts'
import { definition, definitions, things } from './testkit/things.ts'

const available = await realApiServerAvailable('informers')

describe.runIf(available)('an informer, on a real API server', () => {
  let server: RealApiServer
  const open: { close(): Promise<void> }[] = []
  const waiting = { interval: 10 }

  const clientOf = (token: string, environment?: Partial<Environment>): Client => {
    const client = new Client({ url: server.url, ca: server.ca, token, environment })
    open.push(client)
    return client
  }

  beforeAll(async () => {
    server = await sharedRealServer()
    const client = clientOf(server.token)
    await client.create(namespaces, { metadata: { name: 'ns' } })
  })

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close()
  })

  behavesAsAnInformer(async environment => ({ client: clientOf(server.token, environment) }))

  it('R17, R28: a relist after a restart delivers only the difference', () =>
    relistsAfter(() => server.restart(), clientOf(server.token)))

  it('R36: reports a 403, and the state comes once it is allowed', async () => {
    const admin = clientOf(server.token)
    const informer = new Informer({ client: clientOf('token-of-reader'), view: configMaps })
    open.push(informer)
    informer.start()
    const error = await informer.whenSynced().catch((error: unknown) => error)
    expect(isForbidden(error)).toBe(true)
    const role = (verbs: string[]) => ({
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs }],
    })
    await admin.create(clusterRoles, role(['list']))
    await admin.create(clusterRoleBindings, {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
      subjects: [{ kind: 'User', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' }],
    })
    await vi.waitFor(() => expect(`${informer.lastError}`).toContain('cannot watch resource "configmaps"'), waiting)
    // A state that is listed and not watched does not pass for one that is.
    expect(informer.hasSynced).toBe(false)
    await admin.patch(clusterRoles, { name: 'reader' }, role(['list', 'watch']))
    await vi.waitFor(() => expect(informer.hasSynced).toBe(true), waiting)
  })

  it('D8: a definition that is deleted and comes back', async () => {
    const client = clientOf(server.token)
    await client.create(definitions, definition)
    await expect.poll(() => client.discover({ group: 'x.io', version: 'v1', kind: 'Thing' }), waiting).toBeDefined()
    const writer = new RecordingWriter()
    const reflector = new Reflector({ client, target: targetsOf(things)[0] as ReadTarget })
    open.push({ close: () => reflector.stop() })
    reflector.add(writer)
    reflector.start()
    await vi.waitFor(() => expect(reflector.state).toBe('watching'), waiting)
    await client.create(things, { metadata: { name: 'a', namespace: 'ns' } } as object)
    await vi.waitFor(() => expect(writer.log.at(-1)).toBe('ADDED a'), waiting)
    await client.delete(definitions, { name: 'things.x.io' })
    await vi.waitFor(() => expect(writer.log.slice(-2)).toEqual(['DELETED a', 'clear']), waiting)
    await vi.waitFor(() => client.create(definitions, definition), waiting)
    await expect.poll(() => client.discover({ group: 'x.io', version: 'v1', kind: 'Thing' }), waiting).toBeDefined()
    await vi.waitFor(() => client.create(things, { metadata: { name: 'b', namespace: 'ns' } } as object), waiting)
    reflector.retryNow()
    await vi.waitFor(() => expect(writer.names).toEqual(['b']), waiting)
  })
})
