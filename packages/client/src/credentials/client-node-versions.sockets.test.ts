import { KubeConfig as KubeConfig2 } from '@kubernetes/client-node'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { KubeConfig as KubeConfig10 } from 'client-node-1.0'
import { KubeConfig as KubeConfig14 } from 'client-node-1.4'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Client } from '../client.ts'
import { namespaces } from '../resources/core.ts'
import { fromKubeConfig, type KubeConfigLike } from './kubeconfig.ts'

let server: ApiServer

beforeAll(async () => {
  server = await startApiServer({ authorization: 'RBAC' })
})
afterAll(() => server.close())

// The classes have to fit `KubeConfigLike` by their types, too.
const versions: readonly (readonly [
  version: string,
  make: () => KubeConfigLike & { loadFromString(text: string): void },
])[] = [
  ['1.0.0', () => new KubeConfig10()],
  ['1.4.0', () => new KubeConfig14()],
  ['2.0.1', () => new KubeConfig2()],
]

describe.each(versions)('the KubeConfig of @kubernetes/client-node %s', (_, make) => {
  const loaded = (kubeconfig: object) => {
    const config = make()
    config.loadFromString(JSON.stringify(kubeconfig))
    return config
  }
  const read = async (kubeconfig: object): Promise<string | undefined> => {
    const client = new Client({ access: fromKubeConfig(loaded(kubeconfig)) })
    try {
      return (await client.get(namespaces, { name: 'default' }))?.metadata.name
    } finally {
      await client.close()
    }
  }

  it('gives access by a token', async () => {
    expect(await read(server.kubeconfig)).toBe('default')
  })

  it('gives access by a client certificate', async () => {
    const { certPem, keyPem } = await server.clientCertificate({
      commonName: 'jane',
      organizations: ['system:masters'],
    })
    const user = {
      'client-certificate-data': Buffer.from(certPem).toString('base64'),
      'client-key-data': Buffer.from(keyPem).toString('base64'),
    }
    const { users, ...rest } = server.kubeconfig
    expect(await read({ ...rest, users: users.map(({ name }) => ({ name, user })) })).toBe('default')
  })

  it('gives access by a plugin, and says the namespace of its context', async () => {
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: server.token },
    }
    const exec = {
      ...{ apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never', command: process.execPath },
      args: ['-e', `process.stdout.write(${JSON.stringify(JSON.stringify(credential))})`],
    }
    const { users, contexts, ...rest } = server.kubeconfig
    const kubeconfig = {
      ...rest,
      users: users.map(({ name }) => ({ name, user: { exec } })),
      contexts: contexts.map(({ name, context }) => ({ name, context: { ...context, namespace: 'arcade' } })),
    }
    expect(await read(kubeconfig)).toBe('default')
    expect(fromKubeConfig(loaded(kubeconfig)).namespace).toBe('arcade')
  })
})
