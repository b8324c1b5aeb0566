import { describe, expect, it } from 'vitest'
import { fromKubeconfigText } from './kubeconfig-text.ts'

const secret = 'c2VjcmV0'

/** A kubeconfig with these parts, as JSON. */
const written = (user: object, cluster: object = {}): string =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://host:6443/', ...cluster } }],
    users: [
      { name: 'u', user },
      { name: 'other', user: { exec: { command: 'aws', apiVersion: 'client.authentication.k8s.io/v1' } } },
    ],
    contexts: [
      { name: 'c', context: { cluster: 'c', user: 'u', namespace: 'arcade' } },
      { name: 'other', context: { cluster: 'c', user: 'other' } },
    ],
    'current-context': 'c',
  })

describe('a kubeconfig by its text', () => {
  it('is access by the values in it', async () => {
    const access = await fromKubeconfigText(written({ token: 'abc' }, { 'certificate-authority-data': secret }))
    expect([access.server.href, access.namespace]).toEqual(['https://host:6443/', 'arcade'])
    expect(await access.credentials.headers()).toEqual({ authorization: 'Bearer abc' })
    expect((await access.credentials.tls()).ca).toBe('secret')
    const yaml = await fromKubeconfigText(
      'clusters: [{name: c, cluster: {server: "https://host"}}]\ncontexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n',
    )
    expect(yaml.server.href).toBe('https://host/')
  })

  it.each([
    ['exec', { exec: { command: secret, apiVersion: 'client.authentication.k8s.io/v1' } }, {}],
    ['auth-provider', { 'auth-provider': { name: 'oidc', config: { 'client-secret': secret } } }, {}],
    ['tokenFile', { tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token' }, {}],
    ['client-certificate', { 'client-certificate': '/etc/cert' }, {}],
    ['client-key', { 'client-key': '/etc/key', 'client-key-data': secret }, {}],
    ['certificate-authority', { token: secret }, { 'certificate-authority': '/etc/passwd' }],
  ])('X3: may not have %s, which acts on this machine', async (field, user, cluster) => {
    const refused = fromKubeconfigText(written(user, cluster))
    await expect(refused).rejects.toMatchObject({ code: 'KUBECONFIG_INVALID' })
    const { message } = (await refused.catch(error => error)) as Error
    expect(message).toContain(`has ${field}, which`)
    expect(message).not.toMatch(/c2VjcmV0|\/etc|\/var/)
  })

  it('may have such a user that its context does not name', async () => {
    await expect(fromKubeconfigText(written({ token: 'abc' }))).resolves.toBeDefined()
    await expect(fromKubeconfigText(written({ token: 'abc' }), { context: 'other' })).rejects.toThrow('has exec')
  })

  it.each([
    ['{"token": "c2VjcmV0', 'the kubeconfig is neither YAML nor JSON'],
    ['a: "c2VjcmV0', 'the kubeconfig is neither YAML nor JSON'],
    ['c2VjcmV0', 'the kubeconfig must be an object'],
    ['clusters: []', 'the kubeconfig has no cluster for its context ""'],
  ])('X3: is refused as %j without its text', async (text, message) => {
    await expect(fromKubeconfigText(text)).rejects.toThrow(message)
    const { stack } = (await fromKubeconfigText(text).catch(error => error)) as Error
    expect(stack).not.toContain('c2VjcmV0')
  })

  it('X6: takes text, and options that it knows', async () => {
    await expect(fromKubeconfigText(5 as never)).rejects.toThrow('kubeconfig takes')
    await expect(fromKubeconfigText('', { path: 'a' } as never)).rejects.toThrow('access.path')
  })
})
