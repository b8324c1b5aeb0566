import { expect, it } from 'vitest'
import type { Client } from '../../client.ts'
import { type Pod, pods, secrets, serviceAccounts } from '../../resources/core.ts'
import type { KubernetesObject } from '../../views/object.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const pod = (name: string): Pod => ({
  metadata: at(name),
  spec: { containers: [{ name: 'a', image: 'a' }], serviceAccountName: 'default' },
})

/** What `client.subresource` and `client.request` do on any server. */
export function anySubresource(client: () => Client): void {
  it('a pod is bound to a node, and a token of a ServiceAccount is asked for', async () => {
    await client().create(pods, pod('bound'))
    const bound = client().subresource(pods, at('bound'), 'binding')
    await bound.create({ target: { apiVersion: 'v1', kind: 'Node', name: 'n1' } })
    expect((await client().get(pods, at('bound')))?.spec?.nodeName).toBe('n1')
    await expect(bound.create({ target: { apiVersion: 'v1', kind: 'Node', name: 'n2' } })).rejects.toMatchObject({
      status: 409,
    })
    await client().create(serviceAccounts, { metadata: at('asks') })
    const token = client().subresource(serviceAccounts, at('asks'), 'token')
    const answer = await token.create({ spec: { audiences: [], expirationSeconds: 600 } })
    expect(answer).toMatchObject({ kind: 'TokenRequest', status: { token: expect.stringMatching(/^\S+\.\S+\.\S+$/) } })
  })

  it('a subresource is read, replaced, patched and applied; that of no object is undefined', async () => {
    await client().create(pods, pod('sub'))
    const status = client().subresource<Pod>(pods, at('sub'), 'status')
    const before = (await status.get()) as Pod
    expect(before).toMatchObject({ kind: 'Pod', metadata: { name: 'sub' } })
    expect(await status.update({ ...before, status: { message: 'one' } })).toMatchObject({ status: { message: 'one' } })
    expect(await status.patch({ status: { message: 'two' } })).toMatchObject({ status: { message: 'two' } })
    const json = [{ op: 'replace', path: '/status/message', value: 'three' }]
    expect(await status.patch(json)).toMatchObject({ status: { message: 'three' } })
    expect(await status.apply({ status: { reason: 'Four' } })).toMatchObject({ status: { reason: 'Four' } })
    expect(await client().subresource<Pod>(pods, at('none'), 'status').get()).toBeUndefined()
    await expect(client().subresource(pods, at('sub'), 'nothing').get()).rejects.toMatchObject({ status: 404 })
  })

  it('a dry run stores nothing, and its manager is named', async () => {
    await client().create(pods, pod('dry'))
    const status = client().subresource<Pod>(pods, at('dry'), 'status')
    await status.patch({ status: { message: 'dry' } }, { dryRun: true })
    expect((await status.get())?.status?.message).toBeUndefined()
    const written = await status.patch({ status: { message: 'wet' } }, { fieldManager: 'me' })
    expect(written.metadata?.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'me', subresource: 'status' }),
    )
  })

  it('any path is asked for, as JSON, as text and as bytes', async () => {
    const version = (await client().request({ method: 'GET', path: '/version' })) as { major: string }
    expect(version.major).toBe('1')
    const path = '/api/v1/namespaces/default/configmaps'
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'raw', labels: { raw: 'yes' } } }
    expect(await client().request({ method: 'POST', path, body })).toMatchObject({ metadata: { name: 'raw' } })
    const query = { labelSelector: 'raw=yes', limit: '5' }
    const list = (await client().request({ method: 'GET', path, query })) as { items: KubernetesObject[] }
    expect(list.items.map(({ metadata }) => metadata?.name)).toEqual(['raw'])
    const contentType = 'application/merge-patch+json'
    const change = { method: 'PATCH', path: `${path}/raw`, contentType, body: { data: { a: '1' } } } as const
    expect(await client().request(change)).toMatchObject({ data: { a: '1' } })
    const ready: string = await client().request({ method: 'GET', path: '/readyz', as: 'text' })
    expect(ready).toBe('ok')
    const bytes: Uint8Array = await client().request({ method: 'GET', path: '/readyz', as: 'bytes' })
    expect(Buffer.from(bytes).toString()).toBe('ok')
    await expect(client().request({ method: 'GET', path: `${path}/none` })).rejects.toMatchObject({
      ...{ code: 'API_ERROR', status: 404, reason: 'NotFound', path: `${path}/none` },
    })
  })

  it('X3: what a server says of secrets and tokens is not reported', async () => {
    const refused = { method: 'POST', path: '/api/v1/namespaces/default/secrets', body: { data: 'hunter2' } } as const
    const error = await client()
      .request(refused)
      .catch((one: Error) => one)
    expect(error).toMatchObject({ status: expect.any(Number) })
    expect(`${error}`).not.toContain('hunter2')
    await client().create(secrets, { metadata: at('s') })
    const patch = client()
      .subresource(serviceAccounts, at('none'), 'token')
      .create({ spec: { audiences: ['hunter3'] } })
    await expect(patch).rejects.toSatisfy((one: Error) => !`${one}`.includes('hunter3'))
  })
}
