import { mkdir } from 'node:fs/promises'
import { inspect } from 'node:util'
import type { KubeConfig } from '@kubernetes/client-node'
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { type ClusterAccess, fromUrl } from './access.ts'
import { inCluster } from './in-cluster.ts'
import { fromKubeConfig, type KubeConfigLike, type KubeConfigUser } from './kubeconfig.ts'
import { findAccess, fromKubeconfigFile } from './kubeconfig-file.ts'
import { StillClock } from './testkit/clock.ts'
import { type Files, files } from './testkit/files.ts'

let at: Files
let clock: StillClock

beforeEach(async () => {
  at = await files()
  clock = new StillClock()
  for (const name of ['KUBECONFIG', 'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT']) vi.stubEnv(name, '')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await at.remove()
})

const base64 = (text: string): string => Buffer.from(text).toString('base64')

function everything(value: unknown): string {
  return inspect(value, { depth: 20, showHidden: true }) + JSON.stringify(value)
}

describe('a URL', () => {
  it('with token and authority', async () => {
    const access = fromUrl('https://host:6443/base', { token: 'SECRET', ca: 'CA', proxyUrl: 'http://p', clock })
    expect(access.server.href).toBe('https://host:6443/base')
    expect(access.proxyUrl).toBe('http://p')
    expect(await access.credentials.headers()).toEqual({ authorization: 'Bearer SECRET' })
    expect(await access.credentials.tls()).toEqual({ ca: 'CA' })
    expect(everything(access)).not.toContain('SECRET')
  })

  it('X7: with a token file', async () => {
    const access = fromUrl('https://host', { tokenFile: await at.write('token', 'one'), clock })
    expect(await access.credentials.headers()).toEqual({ authorization: 'Bearer one' })
    await at.write('token', 'two')
    expect(await access.credentials.refresh()).toBe(true)
  })

  it('X2: takes no token for plain http but to this machine', () => {
    for (const url of [
      'http://10.0.0.1',
      'http://localhost.example.com',
      'http://127.0.0.1.nip.io',
      'http://127.example.com',
    ]) {
      expect(() => fromUrl(url, { token: 'SECRET' })).toThrow(expect.objectContaining({ code: 'INSECURE_TOKEN' }))
    }
    for (const url of ['http://127.0.0.1:8001', 'http://localhost:8001', 'http://[::1]:8001', 'http://a.localhost']) {
      expect(fromUrl(url, { token: 't' }).server.href).toBe(new URL(url).href)
    }
    expect(fromUrl('http://10.0.0.1').server.host).toBe('10.0.0.1')
  })

  it('X6: options are checked, and errors do not repeat secrets', () => {
    const bad = (url: unknown, options: object = {}): unknown => {
      try {
        fromUrl(url as string, options)
      } catch (error) {
        expect(everything(error)).not.toContain('SECRET')
        return error
      }
      return 'nothing'
    }
    expect(bad('host:6443')).toBeInstanceOf(RangeError)
    expect((bad('localhost:6443') as Error).message).toContain('got one that begins with localhost:')
    for (const none of ['apiVersion: v1', undefined, {}]) {
      expect(() => fromKubeConfig(none as never)).toThrow('config takes a KubeConfig of @kubernetes/client-node')
    }
    expect(bad('not a url')).toBeInstanceOf(RangeError)
    expect(bad('https://user:SECRET@host')).toBeInstanceOf(RangeError)
    expect(bad(5)).toBeInstanceOf(TypeError)
    expect(bad('https://host', { token: '' })).toBeInstanceOf(RangeError)
    expect(bad('https://host', { token: 5 })).toBeInstanceOf(TypeError)
    expect(bad('https://host', { token: 'SECRET', tokenFile: '/x' })).toBeInstanceOf(RangeError)
    expect(bad('https://host', { key: 'SECRET' })).toBeInstanceOf(RangeError)
    expect(bad('https://host', { tokn: 'SECRET' })).toMatchObject({ code: 'INVALID_OPTION' })
  })
})

describe('a pod', () => {
  it('X7: has its service account, and reads its files again', async () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.0.0.1')
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '443')
    await at.write('token', 'one')
    await at.write('ca.crt', 'CA')
    await at.write('namespace', 'mine\n')
    const access = await inCluster({ directory: at.directory, clock })
    expect(access.server.href).toBe('https://10.0.0.1/')
    expect(access.namespace).toBe('mine')
    expect(await access.credentials.headers()).toEqual({ authorization: 'Bearer one' })
    expect(await access.credentials.tls()).toEqual({ ca: 'CA' })
    await at.write('token', 'two')
    clock.advance(60_000)
    expect(await access.credentials.headers()).toEqual({ authorization: 'Bearer two' })
  })

  it('may have an IPv6 address', async () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', 'fd00::1')
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '6443')
    await at.write('token', 'one')
    await at.write('ca.crt', 'CA')
    expect((await inCluster({ directory: at.directory, clock })).server.href).toBe('https://[fd00::1]:6443/')
  })

  it('elsewhere there is none, and the error says why', async () => {
    await expect(inCluster()).rejects.toMatchObject({ code: 'NOT_IN_CLUSTER' })
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.0.0.1')
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '443')
    await expect(inCluster({ directory: at.directory })).rejects.toMatchObject({
      code: 'NOT_IN_CLUSTER',
      cause: expect.objectContaining({ code: 'CREDENTIALS_UNREADABLE' }),
    })
  })
})

/** A kubeconfig file with one context. */
function kubeconfig(user: object, cluster: object = {}, name = 'one'): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: 'https://host:6443', ...cluster } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'ns' } }],
  })
}

describe('a kubeconfig', () => {
  const headers = async (access: ClusterAccess): Promise<unknown> => access.credentials.headers()

  it("client-node's KubeConfig has the type that is taken", () => {
    expectTypeOf<KubeConfig>().toExtend<KubeConfigLike>()
  })

  it('gives server, authority, token and namespace', async () => {
    const cluster = {
      'certificate-authority-data': base64('CA'),
      'proxy-url': 'http://proxy:3128',
      'tls-server-name': 'kubernetes',
    }
    const file = await at.write('config', kubeconfig({ token: 'SECRET' }, cluster))
    const access = await fromKubeconfigFile(file, { clock })
    expect(access).toMatchObject({
      namespace: 'ns',
      proxyUrl: 'http://proxy:3128',
      tlsServerName: 'kubernetes',
      skipTlsVerify: false,
    })
    expect(access.server.href).toBe('https://host:6443/')
    expect(await headers(access)).toEqual({ authorization: 'Bearer SECRET' })
    expect(await access.credentials.tls()).toEqual({ ca: 'CA' })
    expect(everything(access)).not.toContain('SECRET')
  })

  it('X2: skips verification where it says so, and only there', async () => {
    const skip = await at.write('skip', kubeconfig({}, { 'insecure-skip-tls-verify': true }))
    expect((await fromKubeconfigFile(skip)).skipTlsVerify).toBe(true)
  })

  it('X2: sends no token over plain http to another machine', async () => {
    const cluster = { server: 'http://10.0.0.1:8080' }
    const file = await at.write('config', kubeconfig({ token: 'SECRET' }, cluster))
    await expect(fromKubeconfigFile(file)).rejects.toMatchObject({ code: 'INSECURE_TOKEN' })
  })

  it('X7: certificate files are found next to it, and read again', async () => {
    await at.write('cert.pem', 'CERT 1')
    await at.write('key.pem', 'KEY')
    const file = await at.write('config', kubeconfig({ 'client-certificate': 'cert.pem', 'client-key': 'key.pem' }))
    const { credentials } = await fromKubeconfigFile(file, { clock })
    expect(await credentials.tls()).toEqual({ cert: 'CERT 1', key: 'KEY' })
    const digest = credentials.digest()
    await at.write('cert.pem', 'CERT 2')
    clock.advance(60_000)
    await credentials.headers()
    expect(credentials.digest()).not.toBe(digest)
  })

  it('X7: after a 401 the file is read again, and a token file that it names', async () => {
    for (const [before, after] of [
      [{ token: 'one' }, { token: 'two' }],
      [{ tokenFile: 'token' }, { tokenFile: 'token' }],
    ]) {
      const file = await at.write('config', kubeconfig(before as object))
      await at.write('token', 'one')
      const { credentials } = await fromKubeconfigFile(file, { clock })
      expect(await credentials.headers()).toEqual({ authorization: 'Bearer one' })
      expect(await credentials.refresh()).toBe(false)
      await at.write('config', kubeconfig(after as object))
      await at.write('token', 'two')
      expect(await credentials.refresh()).toBe(true)
      expect(await credentials.headers()).toEqual({ authorization: 'Bearer two' })
    }
  })

  it('X2: after a 401 only the context is read that the client was made for, whatever the current one is by then', async () => {
    const two = (current: string, token: string): string => {
      const of = (name: string, user: object) => JSON.parse(kubeconfig(user, { server: `https://${name}` }, name))
      const [dev, prod] = [of('dev', { token }), of('prod', { token: 'PROD' })]
      const lists = ['clusters', 'users', 'contexts'].map(list => [list, [...dev[list], ...prod[list]]])
      return JSON.stringify({ ...dev, ...Object.fromEntries(lists), 'current-context': current })
    }
    const file = await at.write('config', two('dev', 'one'))
    const { credentials, server } = await fromKubeconfigFile(file, { clock })
    expect(server.host).toBe('dev')
    await at.write('config', two('prod', 'one'))
    expect(await credentials.refresh()).toBe(false)
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer one' })
    await at.write('config', two('prod', 'two'))
    expect(await credentials.refresh()).toBe(true)
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer two' })
  })

  it.each<[string, string]>([
    ['another server', kubeconfig({ token: 'SECRET-2' }, { server: 'https://other:6443' })],
    ['another proxy', kubeconfig({ token: 'SECRET-2' }, { 'proxy-url': 'http://other:3128' })],
    ['another name in the certificate', kubeconfig({ token: 'SECRET-2' }, { 'tls-server-name': 'other' })],
    ['no verification', kubeconfig({ token: 'SECRET-2' }, { 'insecure-skip-tls-verify': true })],
    ['no such context', kubeconfig({ token: 'SECRET-2' }, {}, 'two')],
    ['nothing', ''],
  ])(
    'X2: credentials of a cluster that has %s by now are refused, and those that are there stay',
    async (_, changed) => {
      const file = await at.write('config', kubeconfig({ token: 'one' }))
      const { credentials } = await fromKubeconfigFile(file, { clock })
      await at.write('config', changed)
      const error = await credentials.refresh().catch((error: unknown) => error)
      expect(error).toMatchObject({ code: changed === '' ? 'KUBECONFIG_INVALID' : 'ANOTHER_CLUSTER' })
      expect(everything(error)).not.toContain('SECRET-2')
      expect(await credentials.headers()).toEqual({ authorization: 'Bearer one' })
    },
  )

  it('X7: an authority that is renewed with the token is taken', async () => {
    const file = await at.write(
      'config',
      kubeconfig({ token: 'one' }, { 'certificate-authority-data': base64('CA 1') }),
    )
    const { credentials } = await fromKubeconfigFile(file, { clock })
    await at.write('config', kubeconfig({ token: 'two' }, { 'certificate-authority-data': base64('CA 2') }))
    expect(await credentials.refresh()).toBe(true)
    expect(await credentials.tls()).toEqual({ ca: 'CA 2' })
  })

  it('X7: an authority or a certificate that is renewed in the file is taken by the next connection, without a 401', async () => {
    const written = (ca: string, cert: string): Promise<string> =>
      at.write(
        'config',
        kubeconfig(
          { 'client-certificate-data': base64(cert), 'client-key-data': base64('KEY') },
          { 'certificate-authority-data': base64(ca) },
        ),
      )
    const { credentials } = await fromKubeconfigFile(await written('CA 1', 'CERT 1'), { clock })
    expect(await credentials.tls()).toEqual({ ca: 'CA 1', cert: 'CERT 1', key: 'KEY' })
    const digest = credentials.digest()
    await written('CA 2', 'CERT 1')
    expect((await credentials.tls()).ca).toBe('CA 2')
    expect(credentials.digest()).not.toBe(digest)
    await written('CA 2', 'CERT 2')
    expect((await Promise.all([credentials.tls(), credentials.tls()])).map(({ cert }) => cert)).toEqual([
      'CERT 2',
      'CERT 2',
    ])
    // A file that is being written, or says something of another cluster, takes nothing away.
    await at.write('config', '{')
    expect((await credentials.tls()).cert).toBe('CERT 2')
    await at.write('config', kubeconfig({ token: 't' }, { server: 'https://other' }))
    expect((await credentials.tls()).cert).toBe('CERT 2')
    await written('CA 3', 'CERT 2')
    expect((await credentials.tls()).ca).toBe('CA 3')
  })

  it('X2: an auth provider is asked for no token once the kubeconfig is of another cluster', async () => {
    let current = 'dev'
    const asked: string[] = []
    const config: KubeConfigLike = {
      getCurrentContext: () => current,
      getContextObject: () => null,
      getCurrentCluster: () => ({ name: current, server: `https://${current}` }),
      getCurrentUser: () => ({ name: 'u', authProvider: { name: 'oidc' } }),
      applyToHTTPSOptions: async options => {
        asked.push(current)
        options.headers = { Authorization: `Bearer ${current}` }
      },
    }
    const { credentials } = fromKubeConfig(config, { clock })
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer dev' })
    current = 'prod'
    await expect(credentials.headers()).rejects.toMatchObject({ code: 'ANOTHER_CLUSTER' })
    expect(asked).toEqual(['dev'])
  })

  it('X2: sends no token over plain http to a proxy on another machine', async () => {
    const cluster = { server: 'http://127.0.0.1:8080', 'proxy-url': 'http://10.0.0.1:3128' }
    const file = await at.write('config', kubeconfig({ token: 'SECRET' }, cluster))
    await expect(fromKubeconfigFile(file)).rejects.toMatchObject({ code: 'INSECURE_TOKEN' })
    const given = { token: 'SECRET', proxyUrl: 'https://10.0.0.1:3128' }
    expect(() => fromUrl('http://127.0.0.1:8080', given)).toThrow(expect.objectContaining({ code: 'INSECURE_TOKEN' }))
  })

  it('an empty file among several in KUBECONFIG says nothing; alone it is an error that says so', async () => {
    const empty = await at.write('empty', '# nothing yet\n')
    const config = await at.write('config', kubeconfig({ token: 'one' }))
    vi.stubEnv('KUBECONFIG', [empty, config].join(':'))
    expect(await headers(await fromKubeconfigFile())).toEqual({ authorization: 'Bearer one' })
    await expect(fromKubeconfigFile(empty)).rejects.toMatchObject({
      code: 'KUBECONFIG_INVALID',
      message: `${empty} is empty: no cluster is named`,
    })
  })

  it('X7: runs a plugin next to it, once for each 401, and gives it the cluster', async () => {
    const script = `#!/usr/bin/env node
      const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO)
      require('node:fs').appendFileSync(__dirname + '/runs', 'x')
      const status = { token: spec.cluster.server + '|' + spec.cluster.config.audience + '|' + require('node:fs').readFileSync(__dirname + '/runs', 'utf8').length }
      console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }))`
    await at.write('plugin.cjs', script)
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin.cjs',
      interactiveMode: 'IfAvailable',
      provideClusterInfo: true,
    }
    const extensions = [
      { name: 'other' },
      { name: 'client.authentication.k8s.io/exec', extension: { audience: 'games' } },
    ]
    const config = kubeconfig({ exec }, { extensions })
    const { credentials } = await fromKubeconfigFile(await at.write('config', config), { clock })
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer https://host:6443|games|1' })
    expect(await credentials.refresh()).toBe(true)
    expect(await credentials.headers()).toEqual({ authorization: 'Bearer https://host:6443|games|2' })
  })

  it('a plugin that wants to ask somebody is an error', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'x', interactiveMode: 'Always' }
    const file = await at.write('config', kubeconfig({ exec }))
    await expect(fromKubeconfigFile(file)).rejects.toMatchObject({ code: 'KUBECONFIG_INVALID' })
  })

  it('several files in KUBECONFIG are merged, the first to say something wins', async () => {
    const first = await at.write('first', kubeconfig({ token: 'first' }))
    const second = await at.write('second', kubeconfig({ token: 'second' }, { server: 'https://two' }, 'two'))
    vi.stubEnv('KUBECONFIG', [first, `${at.directory}/nope`, second].join(':'))
    expect(await headers(await fromKubeconfigFile())).toEqual({ authorization: 'Bearer first' })
    const other = await fromKubeconfigFile(undefined, { context: 'two' })
    expect(other.server.host).toBe('two')
    expect(await headers(other)).toEqual({ authorization: 'Bearer second' })
    expect(await headers(await findAccess())).toEqual({ authorization: 'Bearer first' })
  })

  it('what a file of several names is relative to that file', async () => {
    await mkdir(`${at.directory}/second`)
    await at.write('second/token', 'from-second')
    const first = await at.write('first', kubeconfig({ token: 'first' }))
    const second = await at.write('second/config', kubeconfig({ tokenFile: 'token' }, {}, 'two'))
    vi.stubEnv('KUBECONFIG', [first, second].join(':'))
    expect(await headers(await fromKubeconfigFile(undefined, { context: 'two' }))).toEqual({
      authorization: 'Bearer from-second',
    })
  })

  it('X3: one that can not be read is an error without its text', async () => {
    const file = await at.write('config', '{ "users": [ SECRET: :')
    const error = await fromKubeconfigFile(file).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'KUBECONFIG_INVALID', message: expect.stringContaining(file) })
    expect(everything(error)).not.toContain('SECRET')
    await expect(fromKubeconfigFile(`${at.directory}/nope`)).rejects.toMatchObject({
      code: 'KUBECONFIG_INVALID',
      message: expect.stringContaining('ENOENT'),
    })
    await expect(fromKubeconfigFile(file, { context: 5 as unknown as string })).rejects.toBeInstanceOf(TypeError)
  })

  it('of several users gives each its own tokenFile, and the user that it acts as', async () => {
    await at.write('one', 'from-one')
    await at.write('two', 'from-two')
    const jane = { as: 'jane', 'as-groups': ['a', 'b'], 'as-uid': '7', 'as-user-extra': { scopes: ['x', 'y'] } }
    const text = JSON.parse(kubeconfig({ token: 'before its file', tokenFile: 'one', ...jane }))
    text.users.push({ name: 'two', user: { tokenFile: 'two' } }, { name: 'three', user: null })
    for (const name of ['two', 'three']) {
      text.contexts.push({ name, context: { ...text.contexts[0].context, user: name } })
    }
    const file = await at.write('config', JSON.stringify(text))
    const first = await fromKubeconfigFile(file)
    expect(await headers(first)).toEqual({ authorization: 'Bearer from-one' })
    const acts = { user: 'jane', groups: ['a', 'b'], uid: '7', extra: { scopes: ['x', 'y'] } }
    expect(first.impersonate).toEqual(acts)
    const second = await fromKubeconfigFile(file, { context: 'two' })
    expect(await headers(second)).toEqual({ authorization: 'Bearer from-two' })
    expect(second.impersonate).toBeUndefined()
    expect(await headers(await fromKubeconfigFile(file, { context: 'three' }))).toEqual({})
  })

  it('in YAML, with an anchor and comments, acts as it says', async () => {
    const file = await at.write(
      'config',
      `apiVersion: v1
kind: Config
current-context: main
clusters: [{ name: c, cluster: { server: 'https://host' } }]
contexts: [{ name: main, context: { cluster: c, user: u } }]
users:
- name: u
  user: &jane # as-groups: [nobody]
    as: jane
    as-groups:
    - "devs"
    as-user-extra:
      a.b/C: [ 'x' ]
- name: v
  user: *jane
`,
    )
    const { impersonate } = await fromKubeconfigFile(file)
    expect(impersonate).toEqual({ user: 'jane', groups: ['devs'], extra: { 'a.b/C': ['x'] } })
  })

  it.each([
    ['as-groups', { as: 'jane', 'as-groups': 'devs' }],
    ['as-groups', { as: 'jane', 'as-groups': [1] }],
    ['as-uid', { as: 'jane', 'as-uid': 7 }],
    ['as-user-extra', { as: 'jane', 'as-user-extra': { a: 'b' } }],
    ['as-user-extra', { as: 'jane', 'as-user-extra': ['b'] }],
    ['tokenFile', { tokenFile: 5 }],
    ['token of user "one" must be text: put it in quotes', { token: 12345678 }],
    ['password', { username: 'u', password: 12345678 }],
    ['as no user', { 'as-groups': ['devs'] }],
  ])('with a user that can not be used is an error (%s)', async (said, user) => {
    const file = await at.write('config', kubeconfig(user))
    await expect(fromKubeconfigFile(file)).rejects.toMatchObject({
      code: 'KUBECONFIG_INVALID',
      message: expect.stringContaining(said),
    })
  })

  it('of another kind is an error, and nobody is anonymous', async () => {
    const text = { ...JSON.parse(kubeconfig({ 'as-groups': ['a'] })), apiVersion: 'v1', kind: 'Pod' }
    const file = await at.write('config', JSON.stringify(text))
    await expect(fromKubeconfigFile(file)).rejects.toMatchObject({ message: expect.stringContaining('Config') })
  })

  it('without a cluster for its context is an error', async () => {
    const file = await at.write('config', kubeconfig({ token: 't' }))
    await expect(fromKubeconfigFile(file, { context: 'nope' })).rejects.toMatchObject({ code: 'KUBECONFIG_INVALID' })
  })

  const like = (user: Partial<KubeConfigUser>): KubeConfigLike => ({
    getCurrentContext: () => 'c',
    getContextObject: () => null,
    getCurrentCluster: () => ({ name: 'c', server: 'https://host' }),
    getCurrentUser: () => ({ name: 'u', ...user }),
    applyToHTTPSOptions: options => {
      options.headers = Object.assign(options.headers ?? {}, { Authorization: 'Bearer from-oidc' })
      return Promise.resolve()
    },
  })

  it('as an object: token, login, impersonation, a token file of its own kind, a legacy provider', async () => {
    expect(await headers(fromKubeConfig(like({ token: 't' })))).toEqual({ authorization: 'Bearer t' })
    const login = fromKubeConfig(like({ username: 'me', password: 'pw' }))
    expect(await headers(login)).toEqual({ authorization: `Basic ${base64('me:pw')}` })
    expect(fromKubeConfig(like({ impersonateUser: 'jane' })).impersonate).toEqual({ user: 'jane' })
    const more = { impersonateGroups: ['a', 'b'], impersonateUid: '7', impersonateExtra: { scopes: ['x'] } }
    expect(fromKubeConfig(like({ impersonateUser: 'jane', ...more })).impersonate).toEqual({
      user: 'jane',
      groups: ['a', 'b'],
      uid: '7',
      extra: { scopes: ['x'] },
    })
    expect(() => fromKubeConfig(like(more))).toThrow(expect.objectContaining({ code: 'KUBECONFIG_INVALID' }))
    const tokenFile = await at.write('token', 'from-file')
    const filed = fromKubeConfig(like({ authProvider: { name: 'tokenFile', config: { tokenFile } } }))
    expect(await headers(filed)).toEqual({ authorization: 'Bearer from-file' })
    const oidc = fromKubeConfig(like({ authProvider: { name: 'oidc', config: {} } }))
    expect(await headers(oidc)).toEqual({ authorization: 'Bearer from-oidc' })
    expect(await oidc.credentials.tls()).toEqual({})
    expect(await oidc.credentials.refresh()).toBe(false)
  })

  it('X6: with a proxy that is no http: or https: URL is an error that names the cluster, and does not repeat the URL', async () => {
    for (const proxy of ['proxy.test:3128', 'socks5://me:secret@10.0.0.1', 'secret']) {
      const file = await at.write('config', kubeconfig({ token: 't' }, { 'proxy-url': proxy }))
      const error = await fromKubeconfigFile(file).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringMatching(/^proxy-url of cluster \S+ takes an http:/),
      })
      expect(inspect(error)).not.toContain('secret')
    }
  })

  it('with a context that names a user that is not there is an error: nobody is anonymous', async () => {
    const text = JSON.parse(kubeconfig({ token: 't' }))
    const file = await at.write('config', JSON.stringify({ ...text, users: [{ name: 'other', user: { token: 't' } }] }))
    const error = { code: 'KUBECONFIG_INVALID', message: expect.stringContaining('which its context') }
    await expect(fromKubeconfigFile(file)).rejects.toMatchObject(error)
    const config = { ...like({}), getCurrentUser: () => null, getContextObject: () => ({ user: 'u' }) }
    expect(() => fromKubeConfig(config)).toThrow(expect.objectContaining(error))
    const anonymous = fromKubeConfig({ ...config, getContextObject: () => ({}) })
    expect(await headers(anonymous)).toEqual({})
  })

  it('X3: a legacy provider that fails, or gives no token, is an error with a code and without its answer', async () => {
    const user = { authProvider: { name: 'oidc', config: {} } }
    const failing = (fail: () => Promise<void>): Promise<unknown> =>
      headers(fromKubeConfig({ ...like(user), applyToHTTPSOptions: fail }))
    const cause = Object.assign(new Error('got SECRET'), { code: 'ENOTFOUND' })
    for (const [fail, reason] of [
      [() => Promise.reject(cause), 'ENOTFOUND'],
      [() => Promise.reject(new TypeError('SECRET')), 'TypeError'],
      [() => Promise.resolve(), 'it gives no token'],
    ] as const) {
      const error = await failing(fail).catch((thrown: unknown) => thrown)
      const message = `the auth provider "oidc" of user "u" failed: ${reason}`
      expect(error).toMatchObject({ code: 'AUTH_PROVIDER_FAILED', message })
      expect(everything(error)).not.toContain('SECRET')
    }
    const withCertificate = { ...user, certData: base64('CERT'), keyData: base64('KEY') }
    const access = fromKubeConfig({ ...like(withCertificate), applyToHTTPSOptions: () => Promise.resolve() })
    expect(await headers(access)).toEqual({})
  })

  it('of a provider that client-node does not know is an error', async () => {
    const user = { 'auth-provider': { name: 'unheard-of', config: { 'access-token': 'SECRET' } } }
    const { credentials } = await fromKubeconfigFile(await at.write('config', kubeconfig(user)))
    await expect(credentials.headers()).rejects.toMatchObject({ code: 'AUTH_PROVIDER_FAILED' })
  })
})
