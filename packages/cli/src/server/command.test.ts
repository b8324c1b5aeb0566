import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, defineResource, type KubernetesObject } from '@wherry/client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommand } from '../run.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-server-'))
})

afterEach(() => rm(folder, { recursive: true }))

interface Started {
  readonly said: () => string
  /** Resolves when the server listens, or when the command has ended. */
  readonly ready: Promise<unknown>
  readonly status: Promise<number>
  end(): void
}

/** Runs the command in this process until `end`. */
function start(...args: string[]): Started {
  const ending = new AbortController()
  let said = ''
  const listening = Promise.withResolvers<void>()
  const write = (text: string): void => {
    said += text
    if (said.includes('export KUBECONFIG')) listening.resolve()
  }
  const host = { stdout: { write }, stderr: { write }, cwd: folder, ending: () => ending.signal }
  const status = runCommand(['server', ...args], host)
  return { said: () => said, ready: Promise.race([listening.promise, status]), status, end: () => ending.abort() }
}

const kubeconfig = (): string => join(folder, '.wherry/kubeconfig')

/** A client by a kubeconfig, as another program makes one. */
async function clientOf(path: string): Promise<Client> {
  const { clusters, users } = JSON.parse(await readFile(path, 'utf8'))
  const { server, 'certificate-authority-data': authority } = clusters[0].cluster
  const ca = Buffer.from(authority, 'base64').toString()
  return new Client({ url: server, ca, token: users[0].user.token })
}

it('a server runs until Ctrl+C with the definitions of the project, and its kubeconfig goes with it', async () => {
  const definition = {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: 'games.arcade.example.com' },
    spec: {
      ...{ group: 'arcade.example.com', scope: 'Namespaced', names: { plural: 'games', kind: 'Game' } },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  }
  await mkdir(join(folder, 'deploy/crd'), { recursive: true })
  await writeFile(join(folder, 'deploy/crd/games.json'), JSON.stringify(definition))
  const { said, ready, status, end } = start()
  await ready
  expect(said()).toContain(`export KUBECONFIG=${kubeconfig()}\n`)
  const games = defineResource<KubernetesObject>({
    ...{ group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games', namespaced: true },
  })
  {
    await using client = await clientOf(kubeconfig())
    await client.create(games, { metadata: { namespace: 'default', name: 'chess' } })
    expect((await client.list(games)).items).toHaveLength(1)
  }
  end()
  expect(await status).toBe(0)
  expect(existsSync(kubeconfig())).toBe(false)
})

it('with --rbac a user without a role is refused', async () => {
  const { ready, status, end } = start('--rbac', '--kubeconfig', 'admin.json')
  await ready
  const { clusters } = JSON.parse(await readFile(join(folder, 'admin.json'), 'utf8'))
  const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString()
  {
    await using nobody = new Client({ url: clusters[0].cluster.server, ca })
    const namespaces = defineResource({
      group: '',
      version: 'v1',
      kind: 'Namespace',
      plural: 'namespaces',
      namespaced: false,
    })
    await expect(nobody.list(namespaces)).rejects.toMatchObject({ status: 403 })
  }
  end()
  expect(await status).toBe(0)
})

it('a command runs beside a server of its own, and its status is that of all', async () => {
  const program = `
    const { clusters } = JSON.parse(require('fs').readFileSync(process.env.KUBECONFIG))
    console.log(clusters[0].cluster.server)
    process.exit(process.argv[1] === '--port' ? 7 : 0)`
  const { said, status } = start('--', process.execPath, '-e', program, '--', '--port')
  expect(await status).toBe(7)
  expect(said()).toMatch(/^https:\/\/127\.0\.0\.1:\d+\n$/)
  expect(existsSync(kubeconfig())).toBe(false)
})

it('a command that waits ends with Ctrl+C', async () => {
  const { ready, status, end, said } = start(
    '--',
    process.execPath,
    '-e',
    'console.log("export KUBECONFIG"); setInterval(() => {}, 1000)',
  )
  await ready
  end()
  expect(await status, said()).toBe(143)
})

it('a port that is in use is named, and so is a command that is not there', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise(listening => other.once('listening', listening))
  const { port } = other.address() as { port: number }
  const taken = start('--port', `${port}`)
  expect(await taken.status).toBe(1)
  expect(taken.said()).toContain(`port ${port} is in use`)
  await new Promise(closed => other.close(closed))
  const missing = start('--', 'no-such-command')
  expect(await missing.status).toBe(1)
  expect(missing.said()).toContain("no-such-command can't be run")
  const wrong = start('--port', 'http')
  expect(await wrong.status).toBe(2)
})

it.each([
  ['allow', [], { status: 401 }],
  ['roles', ['--rbac'], { status: 403 }],
] as const)('a request without credentials is refused: %s', async (_, args, refusal) => {
  const server = start('--port', '0', ...args)
  await server.ready
  await using known = await clientOf(kubeconfig())
  const namespaces = defineResource<KubernetesObject>({
    ...{ group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false },
  })
  expect((await known.list(namespaces)).items.length).toBeGreaterThan(0)
  const { clusters } = JSON.parse(await readFile(kubeconfig(), 'utf8'))
  const { server: url, 'certificate-authority-data': authority } = clusters[0].cluster
  await using stranger = new Client({ url, ca: Buffer.from(authority, 'base64').toString() })
  await expect(stranger.list(namespaces)).rejects.toMatchObject(refusal)
  server.end()
  expect(await server.status).toBe(0)
})

it('a command meets the faults that are named, each of which says what it hit', async () => {
  const program = `
    const { clusters, users } = JSON.parse(require('fs').readFileSync(process.env.KUBECONFIG))
    const { server, 'certificate-authority-data': authority } = clusters[0].cluster
    const options = {
      ca: Buffer.from(authority, 'base64'),
      agent: false,
      headers: { authorization: 'Bearer ' + users[0].user.token },
    }
    const list = then => require('https').get(server + '/api/v1/configmaps', options, answer => {
      console.log(answer.statusCode)
      answer.resume().on('end', then)
    })
    list(() => list(() => undefined))`
  const faults = ['--fault', '500,verb=list,resource=configmaps,times=1', '--fault', '429,resource=configmap']
  const { said, status } = start(...faults, '--', process.execPath, '-e', program)
  expect(await status, said()).toBe(0)
  expect(said()).toContain('500\n200\n')
  expect(said()).toContain('fault 500,verb=list,resource=configmaps,times=1: hit 1 request\n')
  expect(said()).toContain('fault 429,resource=configmap: no request was hit\n')
})

it('a fault that is not known is refused, with those that are', async () => {
  const { said, status } = start('--fault', 'explode', '--', 'true')
  expect(await status).toBe(2)
  expect(said()).toContain('"explode" is no fault: the faults are reset, restart, 410, latency')
})
