import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApiServer } from '../api-server.ts'
import { startEmbeddedApiServer } from '../start-embedded.ts'
import { withServer } from '../testkit/in-memory.ts'
import { ask } from './ask.ts'
import { install } from './install.ts'
import { rolesIn } from './roles-in.ts'

let folder: string
let server: ApiServer

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-manifests-'))
  server = await startEmbeddedApiServer()
})

afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const crd = (kind: string, plural = `${kind.toLowerCase()}s`) => ({
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: `${plural}.arcade.example.com`, creationTimestamp: null },
  spec: {
    ...{ group: 'arcade.example.com', scope: 'Namespaced', names: { plural, kind } },
    versions: ['v1', 'v2'].map(name => ({
      ...{ name, served: true, storage: name === 'v1' },
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } } },
        },
      },
    })),
  },
})
const game = (name: string, title: unknown = 'Go') => ({
  ...{ apiVersion: 'arcade.example.com/v2', kind: 'Game', metadata: { name }, spec: { title } },
})
const games = '/apis/arcade.example.com/v1/namespaces/default/games'

const access = ({ url, ca, token }: ApiServer) => ({ url, ca, token })

async function get(path: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const { status, text } = await ask(server, 'GET', path)
  return { status, body: JSON.parse(text) }
}

describe('install', () => {
  it('applies a folder, text and objects, definitions and namespaces first, and again without a change', async () => {
    await writeFile(join(folder, 'b.yaml'), '# nothing\n---\n---\n')
    await writeFile(join(folder, 'c.json'), JSON.stringify(crd('Game')))
    await writeFile(join(folder, 'notes.txt'), 'no: [manifest')
    await writeFile(
      join(folder, 'kustomization.yaml'),
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [c.json]\n',
    )
    await mkdir(join(folder, 'production.yaml'))
    const elsewhere = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'elsewhere' },
      data: { on: 'yes' },
    }
    const text = `
apiVersion: v1
kind: List
items:
  - apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRole
    metadata: { name: reader }
    rules: [{ apiGroups: [''], resources: [pods], verbs: [get], resourceNames: [0o7] }]
`
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elsewhere' } }
    await install(server, game('chess'), elsewhere, text, namespace, folder)
    expect((await get(`${games}/chess`)).body).toMatchObject({ spec: { title: 'Go' } })
    expect((await get('/api/v1/namespaces/elsewhere/configmaps/a')).body.data).toEqual({ on: 'yes' })
    expect((await get('/apis/rbac.authorization.k8s.io/v1/clusterroles/reader')).status).toBe(200)
    const before = await server.revision()
    await install(server, game('chess'), elsewhere, text, folder)
    expect(await server.revision()).toBe(before)
  })

  it('works without TLS and in memory', async () => {
    await using plain = await startEmbeddedApiServer({ tls: false })
    await install(plain, game('chess'), crd('Game'))
    await withServer(async ({ server: inMemory, call }) => {
      await install(inMemory, game('chess'), crd('Game'))
      expect((await call('GET', `${games}/chess`)).json.spec).toEqual({ title: 'Go' })
    })
  })

  it.each([
    ['what the server refuses', [crd('Game'), game('chess', 5)], 'install: Game chess: .*spec.title', 500],
    [
      'a kind that is not there',
      [game('chess')],
      'no kind Game of arcade.example.com/v2: is its definition installed',
      undefined,
    ],
    [
      'an object without a name',
      [{ apiVersion: 'v1', kind: 'ConfigMap' }],
      'install: ConfigMap has no metadata.name',
      undefined,
    ],
    ['text that is no YAML', ['kind: [\n'], 'install: yaml: line 2', undefined],
    ['a key that is there twice', ['kind: A\nkind: B\n'], 'line 2: key "kind" already set in map', undefined],
    ['text that is no object', ['- 1\n- 2\n'], 'is no object of Kubernetes', undefined],
    ['a file that is not there', ['deploy/none.yaml'], 'install: ENOENT.*deploy/none.yaml', undefined],
    [
      'a definition with names that are in use',
      [crd('Game'), crd('Game', 'matches')],
      'matches.arcade.example.com: "GameList" is already in use',
      undefined,
    ],
  ])('refuses %s', async (_, sources, message, status) => {
    const error = await install(server, ...sources).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'ERR_WHERRY_INSTALL', message: expect.stringMatching(message), status })
  })

  it('names the file and the object that the server refuses', async () => {
    await writeFile(join(folder, 'a.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: A_B }\n')
    await expect(install(server, join(folder, 'a.yaml'))).rejects.toMatchObject({
      message: expect.stringContaining(`install: ${join(folder, 'a.yaml')}: ConfigMap A_B: ConfigMap "A_B" is invalid`),
      status: 422,
    })
  })
})

it('rolesIn gives the roles of manifests to an account, which may do what they say and nothing else', async () => {
  await using restricted = await startEmbeddedApiServer({ authorization: 'RBAC' })
  await writeFile(
    join(folder, 'game.yaml'),
    `
apiVersion: v1
kind: ServiceAccount
metadata: { name: game }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: game, namespace: default }
rules: [{ apiGroups: [''], resources: [configmaps], verbs: [list] }]
`,
  )
  const { token } = await restricted.account(rolesIn(folder))
  const statusOf = async (path: string) => (await ask({ ...access(restricted), token }, 'GET', path)).status
  expect(await statusOf('/api/v1/namespaces/default/configmaps')).toBe(200)
  expect(await statusOf('/api/v1/namespaces/default/secrets')).toBe(403)
  expect(await statusOf('/api/v1/namespaces/kube-system/configmaps')).toBe(403)
})
