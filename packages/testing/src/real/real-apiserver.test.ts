import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childFlags } from '@wherry/apiserver/isolated/child-flags'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { availableVersions, buildArguments, cachedBinary } from './binary-cache.ts'
import { findApiServer } from './find-binary.ts'
import { type RealApiServer, startRealApiServer } from './real-apiserver.ts'
import { realApiServerAvailable } from './testkit/available.ts'
import { ask, eventually, processesNaming } from './testkit/client.ts'

const available = await realApiServerAvailable('tests of startRealApiServer')
const configMaps = '/api/v1/namespaces/default/configmaps'

function configMap(name: string, more: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data: { a: '1' } }
}

/** Starts a server in a process of its own, kills that process, and waits until nothing of the server is left. */
async function parentIsKilled(state: 'running' | 'paused', env: NodeJS.ProcessEnv, processes: number): Promise<void> {
  const program = `
    const { startRealApiServer } = await import(${JSON.stringify(join(import.meta.dirname, 'real-apiserver.ts'))})
    const server = await startRealApiServer()
    if (${state === 'paused'}) server.pause()
    console.log(server.folder)
  `
  const args = [...childFlags(), '--no-warnings', '--input-type=module', '--eval', program]
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const parent = spawn(process.execPath, args, { stdio: [...stdio], env: { ...process.env, ...env } })
  const closed = once(parent, 'close')
  const [line] = (await once(parent.stdout?.setEncoding('utf8') ?? parent, 'data')) as [string]
  const folder = line.trim()
  expect(processesNaming(folder)).toHaveLength(processes)
  parent.kill('SIGKILL')
  await closed
  await eventually(
    () => [processesNaming(folder).length, existsSync(folder)],
    ([left, there]) => left === 0 && there === false,
  )
}

describe.runIf(available)('a real API server', () => {
  let server: RealApiServer
  beforeAll(async () => {
    server = await startRealApiServer({ tokens: { 'let-me-in': { name: 'ann', groups: ['makers'] } } })
  })
  afterAll(() => server.close())

  it('is kube-apiserver 1.37, and its administrator may do anything', async () => {
    expect((await ask(server, 'GET', '/version')).body.gitVersion).toMatch(/^v1\.37\./)
    expect((await ask(server, 'POST', configMaps, configMap('first'))).status).toBe(201)
  })

  it('writes a kubeconfig that leads to it', async () => {
    const path = join(server.folder, 'kubeconfig')
    await server.writeKubeconfig(path)
    const { clusters, users } = JSON.parse(await readFile(path, 'utf8'))
    const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString()
    const { server: url } = clusters[0].cluster
    expect((await ask({ url, ca, token: users[0].user.token }, 'GET', '/api/v1/namespaces')).status).toBe(200)
  })

  it('knows users by token and by client certificate, and RBAC refuses them what nobody granted', async () => {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const { url, ca } = server
    const { certPem, keyPem } = await server.clientCertificate({ commonName: 'bob', organizations: ['takers'] })
    const asAnn = await ask({ url, ca, token: 'let-me-in' }, 'POST', path, review)
    expect(asAnn.body.status.userInfo).toMatchObject({ username: 'ann', groups: ['makers', 'system:authenticated'] })
    const asBob = await ask({ url, ca, cert: certPem, key: keyPem }, 'POST', path, review)
    expect(asBob.body.status.userInfo).toMatchObject({ username: 'bob', groups: ['takers', 'system:authenticated'] })
    expect((await ask({ url, ca, token: 'let-me-in' }, 'GET', configMaps)).status).toBe(403)
  })

  it('shows what etcd stores under a key', async () => {
    const created = await ask(server, 'POST', configMaps, configMap('stored'))
    expect(await server.revision()).toBeGreaterThanOrEqual(Number(created.body.metadata.resourceVersion))
    const bytes = await server.stored('/registry/configmaps/default/stored')
    expect(Buffer.from(bytes ?? []).toString('latin1')).toMatch(/^k8s\0/)
    expect(await server.stored('/registry/configmaps/default/absent')).toBeUndefined()
  })

  it('expires what came before a compaction', async () => {
    const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, involvedObject: { namespace: 'default' } }
    const created = await ask(server, 'POST', '/api/v1/namespaces/default/events', event)
    const old = created.body.metadata.resourceVersion
    const list = `/api/v1/events?resourceVersionMatch=Exact&resourceVersion=${old}`
    await ask(server, 'POST', configMaps, configMap('later'))
    expect((await ask(server, 'GET', list)).status).toBe(200)
    expect(await server.compact()).toBeGreaterThan(Number(old))
    expect((await ask(server, 'GET', list)).body).toMatchObject({ code: 410, reason: 'Expired' })
  })

  it('answers nothing while it is paused, and all of it afterwards', async () => {
    server.pause()
    await eventually(
      () => processesNaming(server.folder).filter(({ state }) => state === 'T').length,
      stopped => stopped === 1,
    )
    await expect(server.compact()).rejects.toMatchObject({ code: 'API_SERVER_STATE', state: 'paused' })
    const pending = ask(server, 'GET', '/version')
    server.resume()
    expect((await pending).status).toBe(200)
    expect(processesNaming(server.folder).filter(({ state }) => state === 'T')).toEqual([])
  })

  // The last of this server: most of a test's time is the start.
  it('leaves no process, folder or listener at its end; restarts before it keep address and data', async () => {
    const { url } = server
    await ask(server, 'POST', configMaps, configMap('kept'))
    for (const how of ['kill', 'terminate'] as const) {
      const before = processesNaming(server.folder).map(({ pid }) => pid)
      await server.restart(how)
      expect(processesNaming(server.folder).map(({ pid }) => pid)).not.toEqual(before)
      expect(server.url).toBe(url)
      expect((await ask(server, 'GET', `${configMaps}/kept`)).status).toBe(200)
    }
    expect(processesNaming(server.folder)).toHaveLength(2)
    await server.close()
    await server.close()
    expect(processesNaming(server.folder)).toEqual([])
    expect(existsSync(server.folder)).toBe(false)
    await expect(ask(server, 'GET', '/version')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await expect(server.restart()).rejects.toMatchObject({ code: 'API_SERVER_STATE', state: 'closed' })
  })
})

describe('other versions of a real API server', () => {
  const others = availableVersions.slice(1).filter(version => existsSync(cachedBinary(process.env, version)))
  it.for(others)('%s serves, compacts and restarts as the newest does', async version => {
    const server = await startRealApiServer({ version })
    expect((await ask(server, 'GET', '/version')).body.gitVersion).toContain(`v${version}.`)
    await ask(server, 'POST', configMaps, configMap('kept'))
    expect(await server.compact()).toBeGreaterThan(1)
    await server.restart()
    expect((await ask(server, 'GET', `${configMaps}/kept`)).status).toBe(200)
    expect((await server.stored('/registry/configmaps/default/kept'))?.length).toBeGreaterThan(0)
    await server.close()
  })
  it('are modules of their own, each of the version that it is named for', () => {
    for (const version of availableVersions) {
      expect(buildArguments(version).join(' ')).toContain(`version.gitVersion=v${version}.`)
    }
  })
})

describe.runIf(available)('the end of a real API server', () => {
  it.for(['running', 'paused'] as const)('comes with its parent’s, by kill -9, while it is %s', async state => {
    await parentIsKilled(state, {}, 2)
  })

  it.for(['its processes have not ended', 'it is not ready'] as const)(
    'comes while it restarts and %s: nothing is left, and the restart rejects',
    async when => {
      const server = await startRealApiServer()
      const before = processesNaming(server.folder).map(({ pid }) => pid)
      const restarted = server.restart()
      restarted.catch(() => {})
      if (when === 'it is not ready') {
        await eventually(
          () => processesNaming(server.folder).some(({ pid }) => !before.includes(pid)),
          isStarted => isStarted,
        )
      }
      await server.close()
      await expect(restarted).rejects.toMatchObject({ code: 'API_SERVER_STATE', state: 'closed' })
      expect(processesNaming(server.folder)).toEqual([])
      expect(existsSync(server.folder)).toBe(false)
    },
  )

  it('comes at once when its program is none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wherry-none-'))
    const path = join(folder, 'apiserver')
    await writeFile(path, '#!/nowhere/interpreter\n', { mode: 0o755 })
    await expect(startRealApiServer({ env: { WHERRY_APISERVER: path } })).rejects.toMatchObject({
      code: 'API_SERVER_START_FAILED',
      message: expect.stringContaining(`${path} cannot be started`),
    })
    await rm(folder, { recursive: true })
  })

  it('comes at once when it cannot start, with its last words', async () => {
    const failure = startRealApiServer({ flags: { 'no-such-flag': '1' } })
    await expect(failure).rejects.toMatchObject({
      code: 'API_SERVER_START_FAILED',
      message: expect.stringContaining('unknown flag: --no-such-flag'),
    })
  })
})

describe.runIf(available)('a real API server with controllers', () => {
  let server: RealApiServer
  beforeAll(async () => {
    server = await startRealApiServer({ controllers: true, featureGates: { ShardedListAndWatch: true } })
  })
  afterAll(() => server.close())

  it('collects what has lost its owner', async () => {
    const owner = (await ask(server, 'POST', configMaps, configMap('owner'))).body
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }
    await ask(server, 'POST', configMaps, configMap('owned', { ownerReferences: [reference] }))
    await ask(server, 'DELETE', `${configMaps}/owner`)
    await eventually(
      () => ask(server, 'GET', `${configMaps}/owned`),
      ({ status }) => status === 404,
    )
  })

  it('gives a namespace its service account and the CA of the server, and removes a deleted one with its contents', async () => {
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'short-lived' } }
    await ask(server, 'POST', '/api/v1/namespaces', space)
    for (const path of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']) {
      await eventually(
        () => ask(server, 'GET', `/api/v1/namespaces/short-lived/${path}`),
        ({ status }) => status === 200,
      )
    }
    await ask(server, 'POST', '/api/v1/namespaces/short-lived/configmaps', configMap('inside'))
    await ask(server, 'DELETE', '/api/v1/namespaces/short-lived')
    await eventually(
      () => ask(server, 'GET', '/api/v1/namespaces/short-lived'),
      ({ status }) => status === 404,
    )
  })

  it('has the feature gates that were asked for', async () => {
    const { body } = await ask(server, 'GET', `${configMaps}?shardSelector=nonsense`)
    expect(body.message).toContain('invalid shard selector')
  })
})

describe.runIf(available)('kube-apiserver and etcd as KUBEBUILDER_ASSETS has them', () => {
  let assets: string
  beforeAll(async () => {
    const binary = await findApiServer()
    assets = await mkdtemp(join(tmpdir(), 'wherry-assets-'))
    for (const name of ['kube-apiserver', 'etcd']) {
      const path = join(assets, name)
      await writeFile(path, `#!/bin/sh\nexec '${binary.kind === 'wherry' ? binary.path : ''}' ${name} "$@"\n`)
      await chmod(path, 0o755)
    }
  })
  afterAll(() => rm(assets, { recursive: true }))

  /** An environment in which only the assets can be found: an empty cache. */
  const env = (): NodeJS.ProcessEnv => ({ KUBEBUILDER_ASSETS: assets, XDG_CACHE_HOME: assets })

  it('are started as one server, with the same controls, and end as one', async () => {
    const server = await startRealApiServer({ env: env() })
    expect(processesNaming(server.folder)).toHaveLength(3)
    await ask(server, 'POST', configMaps, configMap('a'))
    expect((await server.stored('/registry/configmaps/default/a'))?.length).toBeGreaterThan(0)
    expect(await server.compact()).toBeGreaterThan(1)
    await server.restart()
    expect((await ask(server, 'GET', `${configMaps}/a`)).status).toBe(200)
    await server.close()
    expect(processesNaming(server.folder)).toEqual([])
    expect(existsSync(server.folder)).toBe(false)
  })

  it('end with their parent, by kill -9', async () => {
    await parentIsKilled('running', env(), 3)
  })

  it('have no controllers', async () => {
    const failure = startRealApiServer({ env: env(), controllers: true })
    await expect(failure).rejects.toMatchObject({ code: 'API_SERVER_MISSING' })
  })
})
