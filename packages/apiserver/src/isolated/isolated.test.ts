import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { ControlledApiServer } from '../api-server.ts'
import { listen } from '../front/sockets.ts'
import { type Answer, type Ask, askHttp1, askHttp2, http2Client, until } from '../front/testkit/clients.ts'
import { type EmbeddedOptions, OptionError } from '../options.ts'
import { startEmbeddedApiServer } from '../start-embedded.ts'
import { childFlags } from './child-flags.ts'
import type { IsolatedApiServer } from './isolated.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(options: EmbeddedOptions = {}): Promise<IsolatedApiServer> {
  const server = await startEmbeddedApiServer({ clusterObjects: false, ...options, isolate: true })
  closing.push(() => server.close())
  return server
}

async function startEmbedded(): Promise<ControlledApiServer> {
  const server = await startEmbeddedApiServer({ clusterObjects: false })
  closing.push(() => server.close())
  return server
}

function ask(server: ControlledApiServer, path: string, more: Ask = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${server.token}`, ...more.headers }
  return askHttp1(server.url, { ...more, path, headers, ca: server.ca })
}

async function names(server: ControlledApiServer, namespace: string): Promise<string[]> {
  const { body } = await ask(server, `/api/v1/namespaces/${namespace}/configmaps`)
  return JSON.parse(body.toString()).items.map((item: { metadata: { name: string } }) => item.metadata.name)
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const fixture = new URL('./fixtures/objects.ts', import.meta.url).href
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'a' } })

describe.each([
  ['in this process', startEmbedded],
  ['isolated', start],
] as const)('a server %s', (_, open) => {
  it('F1: is filled from an iterable and from a module', async () => {
    const server = await open()
    const before = await server.revision()
    expect(await server.fill([configMap('x'), configMap('y')])).toBe(2)
    expect(await server.fill([])).toBe(0)
    expect(await server.fill({ module: fixture, export: 'configMaps', args: [1234, 'b'] })).toBe(1234)
    const single =
      "export default () => [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c0', namespace: 'only' } }]"
    expect(await server.fill({ module: `data:text/javascript,${encodeURIComponent(single)}` })).toBe(1)
    function* many() {
      for (let i = 0; i < 1001; i++) yield { ...configMap(`m${i}`), metadata: { name: `m${i}`, namespace: 'c' } }
    }
    expect(await server.fill(many())).toBe(1001)
    expect(await names(server, 'a')).toEqual(['x', 'y'])
    expect((await names(server, 'b')).length).toBe(1234)
    expect(await names(server, 'only')).toEqual(['c0'])
    expect((await names(server, 'c')).length).toBe(1001)
    // Four namespaces came with them.
    expect((await server.revision()) - before).toBe(2 + 1234 + 1 + 1001 + 4)
  })

  it('F2: takes faults, says how often they hit, and lets go of them', async () => {
    const server = await open()
    const fault = await server.faults.add({ match: { resource: 'configmaps' }, effect: { kind: 'status', code: 500 } })
    expect(await ask(server, '/api/v1/configmaps')).toMatchObject({ status: 500 })
    expect(await ask(server, '/api/v1/secrets')).toMatchObject({ status: 200 })
    expect(await fault.hits()).toBe(1)
    await fault.remove()
    await fault.remove()
    expect(await ask(server, '/api/v1/configmaps')).toMatchObject({ status: 200 })
    await server.faults.add({ effect: { kind: 'reset' } })
    expect(await ask(server, '/api/v1/configmaps')).toMatchObject({ ending: 'ECONNRESET' })
    await server.faults.clear()
    expect(await ask(server, '/api/v1/configmaps')).toMatchObject({ status: 200 })
    {
      await using scoped = await server.faults.add({ effect: { kind: 'status', code: 503 } })
      expect(await ask(server, '/version')).toMatchObject({ status: 503 })
      expect(await scoped.hits()).toBe(1)
    }
    expect(await ask(server, '/version')).toMatchObject({ status: 200 })
  })

  it('F3: counts, and forgets what it counted', async () => {
    const server = await open()
    await ask(server, '/api/v1/configmaps')
    await ask(server, '/api/v1/configmaps')
    expect((await server.stats()).byVerb.list?.configmaps).toMatchObject({ requests: 2, openStreams: 0 })
    await server.resetStats()
    expect((await server.stats()).total.requests).toBe(0)
  })

  it('F2: compacts, restarts, goes back, refuses and says GOAWAY', async () => {
    const server = await open()
    await server.fill([configMap('x')])
    const revision = await server.revision()
    await server.fill([configMap('y')])
    const exact = `/api/v1/namespaces/a/configmaps?resourceVersion=${revision}&resourceVersionMatch=Exact`
    expect(await ask(server, exact)).toMatchObject({ status: 200 })
    await server.compact()
    expect(await ask(server, exact)).toMatchObject({ status: 410 })

    const { url } = server
    const session = http2Client(url, { ca: server.ca })
    closing.push(() => session.destroy())
    const headers = { authorization: `Bearer ${server.token}` }
    const watch = askHttp2(session, { path: `/api/v1/configmaps?watch=1&resourceVersion=${revision}`, headers })
    const watching = async () => (await server.stats()).byVerb.watch?.configmaps?.openStreams === 1
    while (!(await watching())) await new Promise<void>(resolve => setImmediate(resolve))
    await Promise.all([once(session, 'goaway'), server.goawayAll()])
    await server.expireWatchCaches()
    await server.endWatches('configmaps')
    expect(await watch).toMatchObject({ status: 200, ending: 'end' })

    await server.refuse(true)
    expect(await ask(server, '/version')).toMatchObject({ ending: 'ECONNREFUSED' })
    await server.refuse(false)
    await server.restart()
    await server.breakConnections()
    expect(server.url).toBe(url)
    expect(await names(server, 'a')).toEqual(['x', 'y'])
    const now = await server.revision()
    await server.fill([configMap('z')])
    await server.restoreEtcd(now)
    expect(await names(server, 'a')).toEqual(['x', 'y'])
    expect(await server.revision()).toBe(now)
  })

  it('F1: gives a kubeconfig, a file of it, and client certificates', async () => {
    const server = await open()
    const folder = await mkdtemp(join(tmpdir(), 'wherry-'))
    closing.push(() => rm(folder, { recursive: true }))
    await server.writeKubeconfig(join(folder, 'config'))
    expect(JSON.parse(await readFile(join(folder, 'config'), 'utf8'))).toEqual(server.kubeconfig)
    expect((await stat(join(folder, 'config'))).mode & 0o777).toBe(0o600)
    expect(server.kubeconfig.clusters[0]?.cluster.server).toBe(server.url)
    const { certPem, keyPem } = await server.clientCertificate({ commonName: 'alice', organizations: ['dev'] })
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    const { body } = await askHttp1(server.url, {
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(review)),
      ca: server.ca,
      cert: certPem,
      key: keyPem,
    })
    expect(body.toString()).not.toContain('system:anonymous')
  })

  it('F2: throws errors with their class, message and code', async () => {
    const server = await open()
    const broken = await server.fill({ module: fixture, export: 'broken' }).catch((error: unknown) => error)
    expect(broken).toBeInstanceOf(RangeError)
    expect(broken).toMatchObject({
      name: 'RangeError',
      message: 'broken on purpose',
      code: 'ERR_FIXTURE',
      cause: { message: 'the cause' },
    })
    await expect(server.fill({ module: fixture, export: 'absent' })).rejects.toThrow(/exports no function absent/)
    await expect(server.fill({ module: `${fixture}-absent` })).rejects.toMatchObject({ code: 'ERR_MODULE_NOT_FOUND' })
    await expect(server.fill([{}])).rejects.toThrow(TypeError)
    await expect(server.faults.add({ effect: { kind: 'delay', ms: -1 } })).rejects.toThrow(RangeError)
    const odd = { options: { compactionMs: -1 }, error: { code: 'ERR_WHERRY_OPTION', option: 'compactionMs' } }
    const refused = await startEmbeddedApiServer({ ...odd.options, isolate: open === start }).catch(
      (error: unknown) => error,
    )
    expect(refused).toBeInstanceOf(OptionError)
    expect(refused).toMatchObject(odd.error)
  })
})

describe('the process of an isolated server', () => {
  it('is another, and is gone after close', async () => {
    const server = await start()
    expect(server.pid).not.toBe(process.pid)
    expect(alive(server.pid)).toBe(true)
    expect(server.close()).toBe(server.close())
    await server.close()
    expect(alive(server.pid)).toBe(false)
    await expect(server.stats()).rejects.toMatchObject({ code: 'ERR_WHERRY_ISOLATED_SERVER' })
    expect(await ask(server, '/version')).toMatchObject({ ending: 'ECONNREFUSED' })
  })

  it('is gone after close though it is busy, with calls under way', async () => {
    const server = await start()
    const filled = server.fill({ module: fixture, export: 'configMaps', args: [50_000, 'a'] })
    await Promise.all([server.close(), filled])
    expect(alive(server.pid)).toBe(false)
  })

  it('X10: ends when its parent is killed', async () => {
    const parent = fork(new URL('./fixtures/parent.ts', import.meta.url), [], {
      execArgv: childFlags(),
    })
    const [{ pid }] = (await once(parent, 'message')) as [{ pid: number }]
    expect(alive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    await until(() => !alive(pid))
  })

  it('outlives a Ctrl-C that reaches the whole group: its parent says when it ends', async () => {
    const server = await start()
    process.kill(server.pid, 'SIGINT')
    process.kill(server.pid, 'SIGHUP')
    expect(await ask(server, '/version')).toMatchObject({ status: 200 })
    expect(await server.revision()).toBeGreaterThan(0)
  })

  it('rejects the calls under way and all later ones when it dies, and close still resolves', async () => {
    const server = await start()
    const filled = server.fill({ module: fixture, export: 'configMaps', args: [1_000_000, 'a'] })
    process.kill(server.pid, 'SIGKILL')
    const died = {
      code: 'ERR_WHERRY_ISOLATED_SERVER',
      signal: 'SIGKILL',
      message: expect.stringMatching(/died by SIGKILL/),
    }
    await expect(filled).rejects.toMatchObject(died)
    await expect(server.revision()).rejects.toMatchObject(died)
    await expect(server.faults.add({ effect: { kind: 'reset' } })).rejects.toMatchObject(died)
    await server.close()
  })

  it('X6: is not started with what can not cross', async () => {
    const code = 'ERR_WHERRY_OPTION'
    const refused = (options: EmbeddedOptions, option: string) =>
      expect(startEmbeddedApiServer({ ...options, isolate: true })).rejects.toMatchObject({ code, option })
    await refused({ random: () => 0.5 }, 'random')
    await refused({ authorization: () => true }, 'authorization')
    await refused({ sockets: false }, 'sockets')
    await refused({ compactionMs: -1 }, 'compactionMs')
    const server = await start()
    const args = [() => {}]
    await expect(server.fill({ module: fixture, args })).rejects.toThrow(/could not be cloned/)
    expect(await server.revision()).toBeGreaterThan(0)
  })

  it('rejects when the server can not start, and leaves no process', async () => {
    const front = await listen({ handler: () => {} })
    closing.push(() => front.close())
    await expect(start({ port: front.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})

it('runs from the sources of the packages that it needs: nothing has to be built for a test', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...childFlags(), '--input-type=module', '--eval', "console.log(import.meta.resolve('@wherry/cel/internal'))"],
    { env: { ...process.env, WHERRY_BUILT: '' }, cwd: import.meta.dirname, encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  expect(stdout).toMatch(/packages\/cel\/src\/internal\.ts\n$/)
})
