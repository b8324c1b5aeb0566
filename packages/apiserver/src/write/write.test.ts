import { describe, expect, it } from 'vitest'
import { bytesOf } from '../protobuf/testkit/bytes-of.ts'
import {
  brief,
  cm,
  definitions,
  game,
  gameDefinition,
  games,
  jsonPatchType,
  type Kit,
  merge,
  withServer,
} from '../testkit/in-memory.ts'

/** The parts of a Status that a client branches on. */
const said = ({ status, json }: { status: number; json: { reason?: string; message?: string } }): unknown[] => [
  status,
  json.reason,
  json.message,
]

async function withGames(kit: Kit): Promise<void> {
  await kit.call('POST', definitions, gameDefinition())
  await kit.sim.advance(1500)
}

describe('create', () => {
  it('F1: gives name, namespace, uid, resourceVersion and creationTimestamp', () =>
    withServer(async ({ call, server }) => {
      const { status, json } = await call('POST', cm, { metadata: { name: 'a', labels: { x: 'y' } }, data: { k: 'v' } })
      expect(status).toBe(201)
      expect(json).toEqual({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: {
          name: 'a',
          namespace: 'default',
          uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
          resourceVersion: String(await server.revision()),
          creationTimestamp: expect.stringMatching(/^2026-01-01T00:00:0\dZ$/),
          labels: { x: 'y' },
          managedFields: [
            {
              manager: 'unknown',
              operation: 'Update',
              apiVersion: 'v1',
              time: expect.stringMatching(/^2026-01-01T00:00:0\dZ$/),
              fieldsType: 'FieldsV1',
              fieldsV1: {
                'f:data': { '.': {}, 'f:k': {} },
                'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } },
              },
            },
          ],
        },
        data: { k: 'v' },
      })
    }))

  it('F1: what can not be created is refused as the real server words it', () =>
    withServer(async kit => {
      const { call } = kit
      await kit.configMap('a')
      expect(said(await call('POST', cm, { metadata: { name: 'a' } }))).toEqual([
        409,
        'AlreadyExists',
        'configmaps "a" already exists',
      ])
      expect(said(await call('POST', cm, { metadata: {} }))).toEqual([
        422,
        'Invalid',
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      ])
      const bad = await call('POST', cm, { metadata: { name: 'Bad_Name' } })
      expect(bad.json.details.causes[0]).toMatchObject({ reason: 'FieldValueInvalid', field: 'metadata.name' })
      expect(said(await call('POST', cm, { metadata: { name: 'b', resourceVersion: '1' } }))).toEqual([
        500,
        undefined,
        'resourceVersion should not be set on objects to be created',
      ])
      expect(said(await call('POST', '/api/v1/namespaces/nowhere/configmaps', { metadata: { name: 'b' } }))).toEqual([
        404,
        'NotFound',
        'namespaces "nowhere" not found',
      ])
      expect((await call('POST', cm, { kind: 'Secret', metadata: { name: 'b' } })).status).toBe(400)
      expect((await call('POST', cm, { apiVersion: 'v2', metadata: { name: 'b' } })).status).toBe(400)
      expect((await call('POST', cm, { metadata: { name: 'b', namespace: 'other' } })).status).toBe(400)
      expect((await call('POST', cm, '{')).status).toBe(400)
      expect((await call('POST', cm, '')).status).toBe(400)
      expect((await call('POST', cm, '[]')).status).toBe(400)
      expect((await call('POST', cm, { metadata: { name: 'b', labels: { a: 1 } } })).status).toBe(400)
      expect((await call('POST', cm, { metadata: { name: 'b', labels: { a: 'not a label' } } })).status).toBe(422)
      const large = await call('POST', '/api/v1/namespaces/default/pods', {
        metadata: { name: 'b' },
        spec: { containers: [{ name: 'c', image: 'x'.repeat(1_600_000) }] },
      })
      expect(said(large)).toEqual([500, undefined, 'etcdserver: request is too large'])
      const tooMuch = await call('POST', cm, { metadata: { name: 'b' }, data: { x: 'x'.repeat(1_048_577) } })
      expect(tooMuch.json.details.causes[0].reason).toBe('FieldValueTooLong')
      expect((await call('GET', cm)).json.items).toHaveLength(1)
    }))

  it('F1: every mistake in the metadata is a cause', () =>
    withServer(async ({ call }) => {
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x', controller: true }
      const metadata = {
        name: 'Bad',
        generateName: 'Bad-',
        labels: { 'a/b/c': 'no label!' },
        annotations: { '/x': '' },
        ownerReferences: [{ ...owner, name: '' }, owner],
        finalizers: ['plain'],
      }
      const { status, json } = await call('POST', cm, { metadata })
      expect(status).toBe(422)
      expect(json.details.causes.map(({ field }: { field: string }) => field)).toEqual([
        'metadata.generateName',
        'metadata.name',
        'metadata.labels',
        'metadata.labels',
        'metadata.annotations',
        'metadata.ownerReferences[0].name',
        'metadata.ownerReferences',
        'metadata.finalizers[0]',
      ])
    }))

  it('F1: what decoding and encoding drop is not stored: nulls, empty maps', () =>
    withServer(async ({ call }) => {
      const metadata = { name: 'a', labels: {}, annotations: null, finalizers: [] }
      const { json } = await call('POST', cm, { metadata, data: { x: null }, binaryData: {} })
      expect(Object.keys(json.metadata).sort()).toEqual([
        'creationTimestamp',
        'managedFields',
        'name',
        'namespace',
        'resourceVersion',
        'uid',
      ])
      expect([json.data, json.binaryData]).toEqual([{ x: '' }, undefined])
      const wrong = await call('PATCH', `${cm}/a`, { data: { x: 1 } }, merge)
      expect([wrong.status, wrong.json.details.causes[0].field]).toEqual([422, 'patch'])
    }))

  it('F1: bodies that are neither JSON nor YAML are 415', () =>
    withServer(async ({ call }) => {
      const as = async (type: string): Promise<number> =>
        (await call('POST', cm, '{"metadata":{"name":"a"}}', { 'content-type': type })).status
      expect(await as('application/xml')).toBe(415)
      expect(await as('application/yaml')).toBe(201)
      expect(await as('application/json; charset=utf-8')).toBe(409)
    }))

  it('F1: bodies in protobuf are read, the options of a delete too, and refused as a real server does', () =>
    withServer(async ({ call, configMap }) => {
      await configMap('a')
      const protobuf = { 'content-type': 'application/vnd.kubernetes.protobuf' }
      const created = await call(
        'POST',
        cm,
        bytesOf('ConfigMap', 'v1', { 1: { 1: 'b' }, 2: { 1: 'x', 2: '1' } }),
        protobuf,
      )
      expect(created).toMatchObject({ status: 201, json: { metadata: { name: 'b' }, data: { x: '1' } } })
      const replaced = await call('PUT', `${cm}/b`, bytesOf('ConfigMap', 'v1', { 1: { 1: 'b' } }), protobuf)
      expect(replaced).toMatchObject({ status: 200, json: { metadata: { name: 'b' } } })
      expect(replaced.json.data).toBeUndefined()
      const other = { 2: { 1: 'no-such-uid' } }
      const conflict = await call('DELETE', `${cm}/b`, bytesOf('DeleteOptions', 'v1', other), protobuf)
      expect(conflict).toMatchObject({ status: 409, json: { reason: 'Conflict' } })
      // A delete without options has no body, whatever its header says of it.
      expect((await call('DELETE', `${cm}/a`, undefined, protobuf)).status).toBe(200)
      const head = 'the object provided is unrecognized (must be of type ConfigMap): '
      for (const [body, message] of [
        ['k8s\0…', `${head}unexpected EOF (6b387300e280a6)`],
        [
          'hello',
          `${head}provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (68656c6c6f)`,
        ],
        ['k8s\0', `${head}empty body (6b387300)`],
        [
          bytesOf('Secret', 'v1', {}),
          'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
        ],
      ] as const) {
        expect(await call('POST', cm, body, protobuf)).toMatchObject({ status: 400, json: { message } })
      }
    }))

  it('F1: a delete with an object of another kind for its options is refused, and deletes nothing', () =>
    withServer(async ({ call, configMap }) => {
      await configMap('a')
      const scheme = 'pkg/runtime/scheme.go:111'
      for (const path of [cm, `${cm}/a`]) {
        const { status, json } = await call('DELETE', path, { kind: 'Deployment', apiVersion: 'apps/v1' })
        const message = `no kind "Deployment" is registered for version "apps/v1" in scheme "${scheme}"`
        expect([status, json.reason, json.message]).toEqual([400, 'BadRequest', message])
      }
      expect((await call('DELETE', `${cm}/a`, { kind: 'DeleteOptions', apiVersion: 'apps/v1' })).status).toBe(200)
    }))

  it('F1: a refusal escapes what Go escapes in JSON', () =>
    withServer(async ({ call }) => {
      const { text, json } = await call('GET', `${cm}/a%3Cb%3E&é`)
      expect(json.message).toBe('configmaps "a<b>&é" not found')
      expect(text).toContain('configmaps \\"a\\u003cb\\u003e\\u0026é\\" not found')
    }))

  it('F1: a JSON patch takes a missing field of an existing object for null', () =>
    withServer(async ({ call, configMap }) => {
      await configMap('a', { data: { x: '1' } })
      const patch = async (...operations: object[]): Promise<unknown> => {
        const answer = await call('PATCH', `${cm}/a`, operations, jsonPatchType)
        return answer.status === 200 ? answer.json.data : answer.status
      }
      expect(await patch({ op: 'replace', path: '/data/y', value: '2' })).toEqual({ x: '1', y: '2' })
      expect(await patch({ op: 'copy', from: '/data/none', path: '/data/z' })).toEqual({ x: '1', y: '2', z: '' })
      expect(await patch({ op: 'test', path: '/data/none', value: null }, { op: 'remove', path: '/data/z' })).toEqual({
        x: '1',
        y: '2',
      })
      expect(await patch({ op: 'remove', path: '/data/none' })).toBe(422)
      expect(await patch({ op: 'replace', path: '/none/none', value: '1' })).toBe(422)
    }))

  it('F1: a PUT is checked before the live object is read, and the query of a delete only if there is no body', () =>
    withServer(async ({ call, configMap }) => {
      expect((await call('PUT', `${cm}/none`, { metadata: { name: 'other' } })).status).toBe(400)
      expect((await call('PUT', `${cm}/none`, { metadata: {} })).status).toBe(400)
      await configMap('a')
      expect((await call('DELETE', `${cm}/a?dryRun=All`)).status).toBe(200)
      expect((await call('DELETE', `${cm}/a?dryRun=All`, { propagationPolicy: 'Background' })).status).toBe(200)
      expect((await call('GET', `${cm}/a`)).status).toBe(404)
    }))

  it('F1: a Pod that went at once, a definition and a namespace are answered as their own code leaves them', () =>
    withServer(async ({ call }) => {
      const pods = '/api/v1/namespaces/default/pods'
      await call('POST', pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } })
      const pod = (await call('DELETE', `${pods}/p`)).json.metadata
      expect([pod.deletionGracePeriodSeconds, pod.generation, typeof pod.deletionTimestamp]).toEqual([0, 2, 'string'])
      expect((await call('DELETE', '/api/v1/namespaces/kube-system')).status).toBe(403)
      await call('POST', '/api/v1/namespaces', { metadata: { name: 'gone' } })
      const gone = (await call('DELETE', '/api/v1/namespaces/gone')).json
      expect([gone.status.phase, gone.metadata.deletionGracePeriodSeconds]).toEqual(['Terminating', undefined])
    }))

  it('F1: a write to status takes labels along where the built-in does so', () =>
    withServer(async ({ call }) => {
      const labelsOf = async (path: string, body: object): Promise<unknown> => {
        await call('POST', path, { metadata: { name: 'a' }, ...body })
        const patch = { metadata: { labels: { l: 'x' } }, status: {} }
        return (await call('PATCH', `${path}/a/status`, patch, merge)).json.metadata.labels
      }
      expect(await labelsOf('/api/v1/nodes', {})).toEqual({ l: 'x' })
      expect(await labelsOf('/apis/apps/v1/namespaces/default/deployments', { spec: {} })).toBe(undefined)
    }))

  it('F1: a dry run answers what would be stored', () =>
    withServer(async ({ call, configMap }) => {
      const before = await configMap('a', { data: { x: '1' } })
      const { json } = await call('PATCH', `${cm}/a?dryRun=All`, { data: { x: '2' } }, merge)
      expect([json.data, json.metadata.resourceVersion]).toEqual([{ x: '2' }, before.metadata.resourceVersion])
      expect((await call('GET', `${cm}/a`)).json.data).toEqual({ x: '1' })
    }))

  it('F1: generateName gets five more characters; dryRun gets a uid and is not stored', () =>
    withServer(async ({ call, server }) => {
      const { json } = await call('POST', cm, { metadata: { generateName: 'job-' } })
      expect(json.metadata).toMatchObject({
        name: expect.stringMatching(/^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/),
        generateName: 'job-',
      })
      const before = await server.revision()
      const dry = await call('POST', `${cm}?dryRun=All`, { metadata: { name: 'dry' } })
      expect([dry.status, dry.json.metadata.uid, dry.json.metadata.resourceVersion]).toEqual([
        201,
        expect.any(String),
        undefined,
      ])
      expect([(await call('GET', `${cm}/dry`)).status, await server.revision()]).toEqual([404, before])
      expect((await call('POST', `${cm}?dryRun=Some`, { metadata: { name: 'dry' } })).status).toBe(422)
    }))

  it('F1: a generated name that is taken is generated again, up to eight times', async () => {
    // The numbers of the first suffix, for so many suffixes; then another number.
    let again = 0
    const random = (): number => (again-- > 0 ? 0 : 0.5)
    await withServer(
      async ({ call }) => {
        const make = async (names: number): Promise<[number, string]> => {
          again = 5 * names
          const { status, json } = await call('POST', cm, { metadata: { generateName: 'job-' } })
          return [status, json.metadata.name ?? json.reason]
        }
        expect(await make(1)).toEqual([201, 'job-bbbbb'])
        expect(await make(7)).toEqual([201, 'job-rrrrr'])
        expect(await make(8)).toEqual([409, 'AlreadyExists'])
      },
      { random },
    )
  })

  it('F1: stringData of a Secret is encoded into data', () =>
    withServer(async ({ call }) => {
      const secret = { metadata: { name: 's' }, stringData: { token: 'häh' }, data: { other: 'eA==' } }
      const { json } = await call('POST', '/api/v1/namespaces/default/secrets', secret)
      expect(json.data).toEqual({ other: 'eA==', token: Buffer.from('häh').toString('base64') })
      expect([json.stringData, json.type]).toEqual([undefined, 'Opaque'])
    }))
})

describe('update', () => {
  it('F1: a stale resourceVersion or another uid is a conflict; none at all wins, but not for a custom resource', () =>
    withServer(async kit => {
      const { call } = kit
      const made = await kit.configMap('a')
      const { uid, resourceVersion } = made.metadata
      const put = (metadata: object): ReturnType<typeof call> =>
        call('PUT', `${cm}/a`, { metadata: { name: 'a', ...metadata }, data: { n: String(Math.random()) } })
      expect((await put({ resourceVersion })).status).toBe(200)
      expect(said(await put({ resourceVersion }))).toEqual([
        409,
        'Conflict',
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      ])
      const other = await put({ uid: 'abc' })
      expect([other.status, other.json.message]).toEqual([
        409,
        expect.stringContaining(`Precondition failed: UID in precondition: abc, UID in object meta: ${uid}`),
      ])
      expect((await put({})).status).toBe(200)
      await withGames(kit)
      await call('POST', games, game('chess'))
      expect(said(await call('PUT', `${games}/chess`, game('chess', { a: 1 })))[2]).toContain(
        'must be specified for an update',
      )
    }))

  it('F1: keeps what the server gave: uid, creationTimestamp, generation', () =>
    withServer(async ({ call, configMap }) => {
      const { metadata } = await configMap('a')
      const { json } = await call('PUT', `${cm}/a`, {
        metadata: { name: 'a', creationTimestamp: '1999-01-01T00:00:00Z', generation: 7 },
      })
      expect(json.metadata).toMatchObject({ uid: metadata.uid, creationTimestamp: metadata.creationTimestamp })
      expect(json.metadata.generation).toBeUndefined()
    }))

  it('F1: a write that changes nothing answers the old resourceVersion and sends no event', () =>
    withServer(async ({ call, configMap, server, watch, sim }) => {
      const made = await configMap('a', { data: { k: 'v' } })
      const stream = await watch(`${cm}?watch=1&resourceVersion=${await server.revision()}`)
      const answers = [
        await call('PUT', `${cm}/a`, made),
        await call('PATCH', `${cm}/a`, {}, merge),
        await call('PATCH', `${cm}/a`, [], jsonPatchType),
      ]
      await sim.advance(10)
      expect(answers.map(({ status, json }) => [status, json.metadata.resourceVersion])).toEqual(
        Array(3).fill([200, made.metadata.resourceVersion]),
      )
      expect(stream.lines).toEqual([])
    }))

  it('F1: what the URL and the body disagree on is 400, a missing object 404, a wrong method 405', () =>
    withServer(async ({ call, configMap }) => {
      await configMap('a')
      expect((await call('PUT', `${cm}/a`, { metadata: { name: 'b' } })).status).toBe(400)
      expect(said(await call('PUT', `${cm}/nope`, { metadata: { name: 'nope' } }))).toEqual([
        404,
        'NotFound',
        'configmaps "nope" not found',
      ])
      expect((await call('PUT', cm, { metadata: { name: 'a' } })).status).toBe(405)
      expect((await call('POST', `${cm}/a`, { metadata: { name: 'a' } })).status).toBe(405)
    }))

  it('F1: generation counts changes of the spec, not of labels or status; status is written through /status alone', () =>
    withServer(async kit => {
      await withGames(kit)
      const { call } = kit
      const made = await call('POST', games, { ...game('chess', { players: 2 }), status: { phase: 'mine' } })
      expect([made.json.metadata.generation, made.json.status]).toEqual([1, undefined])
      const patch = async (path: string, body: object): Promise<unknown[]> => {
        const { json } = await call('PATCH', `${games}/chess${path}`, body, merge)
        return [json.metadata.generation, json.spec.players, json.status?.phase, json.metadata.labels?.l]
      }
      expect(await patch('', { metadata: { labels: { l: 'x' } } })).toEqual([1, 2, undefined, 'x'])
      expect(
        await patch('/status', { status: { phase: 'on' }, spec: { players: 9 }, metadata: { labels: { l: 'y' } } }),
      ).toEqual([1, 2, 'on', 'x'])
      expect(await patch('', { spec: { players: 3 }, status: { phase: 'lost' } })).toEqual([2, 3, 'on', 'x'])
      expect((await call('GET', `${games}/chess/status`)).json.status).toEqual({ phase: 'on' })
      expect((await call('GET', `${games}/chess/log`)).status).toBe(404)
    }))

  it('F1: scale shows and sets the replicas', () =>
    withServer(async kit => {
      await withGames(kit)
      await kit.call('POST', games, game('chess', { replicas: 2 }))
      const { json } = await kit.call('GET', `${games}/chess/scale`)
      expect(json).toMatchObject({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'chess' },
        spec: { replicas: 2 },
        status: { replicas: 0 },
      })
      expect((await kit.call('PUT', `${games}/chess/scale`, { ...json, spec: { replicas: 5 } })).json.spec).toEqual({
        replicas: 5,
      })
      expect((await kit.call('PUT', `${games}/chess/scale`, { ...json, spec: { replicas: 6 } })).status).toBe(409)
      expect((await kit.call('PATCH', `${games}/chess/scale`, { spec: { replicas: 7 } }, merge)).json.spec).toEqual({
        replicas: 7,
      })
      expect((await kit.call('GET', `${games}/chess`)).json.spec).toEqual({ replicas: 7 })
      expect((await kit.call('PATCH', `${games}/chess/scale`, { spec: { replicas: -1 } }, merge)).status).toBe(422)
    }))

  it('F1: an immutable ConfigMap or Secret keeps its data, and stays immutable', () =>
    withServer(async ({ call }) => {
      await call('POST', cm, { metadata: { name: 'a' }, data: { k: 'v' }, immutable: true })
      const refused = await call('PATCH', `${cm}/a`, { data: { k: 'w' } }, merge)
      expect([refused.status, refused.json.details.causes[0].field]).toEqual([422, 'data'])
      expect((await call('PATCH', `${cm}/a`, { immutable: false }, merge)).status).toBe(422)
      expect((await call('PATCH', `${cm}/a`, { metadata: { labels: { ok: 'yes' } } }, merge)).status).toBe(200)
    }))
})

describe('update of an object that is not there', () => {
  it('F1: creates a Lease and those others that the real server creates, and no ConfigMap', () =>
    withServer(async ({ call }) => {
      const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/l'
      const made = await call('PUT', lease, { metadata: { name: 'l', resourceVersion: '7' }, spec: {} })
      expect([made.status, made.json.metadata.uid]).toEqual([201, expect.any(String)])
      expect((await call('PUT', lease, { metadata: { name: 'l' }, spec: {} })).status).toBe(422)
      expect((await call('PUT', lease, made.json)).status).toBe(200)
      expect((await call('PUT', `${lease}2`, { metadata: { name: 'other' } })).status).toBe(400)
      expect((await call('PUT', `${lease}2`, { metadata: {} })).status).toBe(400)
      expect((await call('PUT', `${cm}/none`, { metadata: { name: 'none' } })).status).toBe(404)
    }))

  it('F1: an object with a deletionTimestamp in its data is not being deleted', () =>
    withServer(async ({ call }) => {
      const object = { metadata: { name: 'a' }, data: { deletionTimestamp: 'x' } }
      await call('POST', cm, object)
      expect(said(await call('POST', cm, object))[2]).toBe('configmaps "a" already exists')
    }))
})

describe('patch', () => {
  it('F1: a merge patch sets, removes with null, and takes any key as data', () =>
    withServer(async ({ call, configMap }) => {
      await configMap('a', { data: { keep: '1', drop: '2' } })
      const { json, text } = await call(
        'PATCH',
        `${cm}/a`,
        '{"data":{"drop":null,"__proto__":"p","constructor":"c"}}',
        merge,
      )
      expect(json.data).toEqual(JSON.parse('{"keep":"1","__proto__":"p","constructor":"c"}'))
      expect(text).toContain('"__proto__":"p"')
      expect(({} as Record<string, unknown>).p).toBeUndefined()
    }))

  it('F1: a patch can neither delete an object nor change its kind', () =>
    withServer(async kit => {
      await kit.configMap('a')
      await withGames(kit)
      await kit.call('POST', games, game('a'))
      const by = async (path: string, body: object, headers = merge): Promise<number> =>
        (await kit.call('PATCH', path, body, headers)).status
      for (const path of [`${cm}/a`, `${games}/a`])
        for (const metadata of [{ deletionTimestamp: '2020-01-01T00:00:00Z' }, { deletionGracePeriodSeconds: 5 }])
          expect(await by(path, { metadata })).toBe(422)
      expect(await by(`${games}/a/status`, { metadata: { deletionGracePeriodSeconds: 5 } })).toBe(200)
      expect(await by(`${cm}/a`, { kind: 'Pod' })).toBe(422)
      const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
      expect(await by(`${cm}/a`, { kind: 'Pod' }, strategic)).toBe(200)
      expect(await by(`${cm}/a`, [5], jsonPatchType)).toBe(400)
      expect(await by(`${cm}/a`, [null], jsonPatchType)).toBe(422)
      expect((await kit.call('POST', cm, 'null')).status).toBe(422)
      expect((await kit.call('POST', cm, { apiVersion: 5, kind: 'ConfigMap' })).text).toContain('json parse error')
    }))

  it('F1: the letters and spaces of a content type count for a patch alone', () =>
    withServer(async ({ call }) => {
      const by = async (method: string, path: string, type: string): Promise<number> =>
        (await call(method, path, { metadata: { name: 'a' } }, { 'content-type': type })).status
      expect(await by('POST', cm, 'Application/JSON ; charset=utf-8')).toBe(201)
      expect(await by('PATCH', `${cm}/a`, 'Application/merge-patch+json')).toBe(415)
      expect(await by('PATCH', `${cm}/a`, 'application/merge-patch+json ; x=1')).toBe(415)
      expect(await by('PATCH', `${cm}/a`, 'application/merge-patch+json;x=1')).toBe(200)
    }))

  it('F1: a JSON patch applies as a whole or is 422 without a cause', () =>
    withServer(async ({ call, configMap }) => {
      await configMap('a', { data: { k: 'v' } })
      const patch = (body: unknown): ReturnType<typeof call> => call('PATCH', `${cm}/a`, body, jsonPatchType)
      const done = await patch([
        { op: 'test', path: '/data/k', value: 'v' },
        { op: 'replace', path: '/data/k', value: 'w' },
        { op: 'add', path: '/data/__proto__', value: 'p' },
        { op: 'copy', from: '/data/k', path: '/data/l' },
      ])
      expect(done.json.data).toEqual(JSON.parse('{"k":"w","__proto__":"p","l":"w"}'))
      const rejected = [422, 'Invalid', 'the server rejected our request due to an error in our request']
      expect(
        said(
          await patch([
            { op: 'add', path: '/data/x', value: '1' },
            { op: 'test', path: '/data/k', value: 'v' },
          ]),
        ),
      ).toEqual(rejected)
      expect(said(await patch([{ op: 'remove', path: '/data/none' }]))).toEqual(rejected)
      expect(said(await patch([{ op: 'copy', from: 'data/k', path: '/data/x' }]))).toEqual(rejected)
      for (const field of ['op', 'path', 'from'])
        expect(said(await patch([{ op: 'copy', from: '/data/k', path: '/data/x', [field]: 5 }]))).toEqual([
          400,
          'BadRequest',
          `error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.${field} of type string`,
        ])
      expect((await patch({ op: 'add' })).status).toBe(400)
      expect((await call('GET', `${cm}/a`)).json.data.x).toBeUndefined()
    }))

  it('F1: a JSON patch has at most 10,000 operations', () =>
    withServer(async ({ call, configMap }) => {
      await configMap('a')
      const set = { op: 'add', path: '/data', value: { k: 'v' } }
      const patch = (count: number): ReturnType<typeof call> =>
        call('PATCH', `${cm}/a`, Array(count).fill(set), jsonPatchType)
      expect((await patch(10_000)).json.data).toEqual({ k: 'v' })
      expect(said(await patch(10_001))).toEqual([
        413,
        'RequestEntityTooLarge',
        'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
      ])
    }))

  it('F1: a JSON patch counts negative indices of a list from its end, and refuses an index past it', () =>
    withServer(async ({ call, configMap }) => {
      const list = '/metadata/finalizers'
      const value = 'x.y/z'
      await configMap('a')
      const after = async (operation: object): Promise<unknown> => {
        const finalizers = ['a.b/a', 'a.b/b', 'a.b/c']
        await call('PATCH', `${cm}/a`, { metadata: { finalizers } }, merge)
        const { status, json } = await call('PATCH', `${cm}/a`, [operation], jsonPatchType)
        const last = (name: string): string | undefined => name.split('/')[1]
        return status === 200 ? json.metadata.finalizers.map(last).join('') : status
      }
      const move = (path: number): Promise<unknown> => after({ op: 'move', from: `${list}/0`, path: `${list}/${path}` })
      expect([await move(-1), await move(2), await move(3)]).toEqual(['bca', 'bca', 422])
      const add = (path: string): Promise<unknown> => after({ op: 'add', path: `${list}/${path}`, value })
      expect([await add('-4'), await add('-1'), await add('-5')]).toEqual(['zabc', 'abcz', 422])
      expect([await add('+1'), await add('-'), await add('4'), await add('1x')]).toEqual(['azbc', 'abcz', 422, 422])
      const replace = (path: string): Promise<unknown> => after({ op: 'replace', path: `${list}/${path}`, value })
      expect([await replace('-3'), await replace('-4'), await replace('-')]).toEqual(['zbc', 422, 422])
    }))

  it('F1: a JSON patch takes keys that every object of JavaScript has as any other key, and no word as an index', () =>
    withServer(async kit => {
      await withGames(kit)
      await kit.call('POST', games, game('a', {}, { finalizers: ['a.b/c', 'd.e/f'] }))
      const patch = async (...operations: object[]): Promise<[number, unknown]> => {
        const { status, json } = await kit.call('PATCH', `${games}/a`, operations, jsonPatchType)
        return [status, json.spec ?? json.reason]
      }
      const own = { constructor: { name: 'c' }, prototype: 'p', toString: 't' }
      expect(
        await patch(
          { op: 'add', path: '/spec/constructor', value: {} },
          { op: 'add', path: '/spec/constructor/name', value: 'c' },
          { op: 'test', path: '/spec/constructor', value: { name: 'c' } },
          { op: 'add', path: '/spec/prototype', value: 'p' },
          { op: 'copy', from: '/spec/prototype', path: '/spec/toString' },
          { op: 'replace', path: '/spec/toString', value: 't' },
        ),
      ).toEqual([200, own])
      for (const path of ['/spec/valueOf', '/spec/hasOwnProperty', '/metadata/finalizers/length'])
        expect(await patch({ op: 'remove', path })).toEqual([422, 'Invalid'])
      expect(await patch({ op: 'replace', path: '/metadata/finalizers/length', value: 0 })).toEqual([422, 'Invalid'])
      expect(await patch({ op: 'remove', path: '/spec/constructor' })).toEqual([200, { prototype: 'p', toString: 't' }])
    }))

  it('F1: preconditions in a patch: a stale resourceVersion is 409, another uid 422, both 409', () =>
    withServer(async ({ call, configMap }) => {
      const { metadata } = await configMap('a')
      const patch = (more: object): ReturnType<typeof call> =>
        call('PATCH', `${cm}/a`, { metadata: more, data: { n: 'x' } }, merge)
      expect((await patch({ resourceVersion: '1' })).status).toBe(409)
      expect(said(await patch({ uid: 'abc' }))).toEqual([
        422,
        'Invalid',
        'ConfigMap "a" is invalid: metadata.uid: Invalid value: "abc": field is immutable',
      ])
      expect((await patch({ uid: 'abc', resourceVersion: metadata.resourceVersion })).status).toBe(422)
      expect((await patch({ uid: 'abc', resourceVersion: '1' })).status).toBe(409)
      expect((await patch({ uid: metadata.uid, resourceVersion: metadata.resourceVersion })).status).toBe(200)
    }))

  it('F1: unknown and duplicate fields of a built-in are quoted as Go does, and at most 100 are reported', () =>
    withServer(async kit => {
      await withGames(kit)
      const said = async (path: string, body: unknown): Promise<string[]> => {
        const { json } = await kit.call('POST', `${path}?fieldValidation=Strict`, body)
        return json.message.split(/strict decoding error: |, /).slice(1)
      }
      const odd = { 'c\nd': 1, 'a"b': 1 }
      const named = { metadata: { name: 'a' } }
      expect(await said(cm, { ...named, ...odd })).toEqual(['unknown field "c\\nd"', 'unknown field "a\\"b"'])
      expect(await said(games, game('a', {}, { 'a"b': 1 }))).toEqual(['unknown field "metadata.a"b"'])
      const repeated = `{"metadata":{"name":"a"},"data":{"c\\nd":"1","c\\nd":"2"}}`
      expect(await said(cm, repeated)).toEqual(['duplicate field "data.c\\nd"'])
      const many = Object.fromEntries(Array.from({ length: 164 }, (_, i) => [`f${i}`, 1]))
      expect(await said(cm, { ...named, ...many })).toHaveLength(100)
      expect(await said(games, game('a', {}, many))).toHaveLength(164)
    }))

  it('F1: a number that fits no float is refused', () =>
    withServer(async kit => {
      await withGames(kit)
      const text = JSON.stringify(game('a', { size: 'SIZE', note: '1e400' }))
      const refused = (into: string): unknown[] => [
        400,
        'BadRequest',
        expect.stringContaining(`json: cannot unmarshal number 1e400 into ${into} of type float64`),
      ]
      expect(said(await kit.call('POST', games, text.replace('"SIZE"', '1e400')))).toEqual(refused('Go value'))
      const digits = '1'.repeat(400)
      expect((await kit.call('POST', games, text.replace('"SIZE"', digits))).json.message).toContain(digits)
      expect((await kit.call('POST', games, text.replace('"SIZE"', '1e300'))).json.spec.size).toBe(1e300)
      const patch = (type: object, body: string): ReturnType<Kit['call']> =>
        kit.call('PATCH', `${games}/a`, body, type as Record<string, string>)
      expect(said(await patch(merge, '{"spec":{"size":1e400}}'))).toEqual(refused('Go value'))
      const operation = '[{"op":"add","path":"/spec/size","value":1e400}]'
      expect(said(await patch(jsonPatchType, operation))).toEqual(refused('Go struct field jsonPatchOp.value'))
      await kit.configMap('a')
      const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
      expect(said(await kit.call('PATCH', `${cm}/a`, '{"x":1e400}', strategic))).toEqual(refused('Go value'))
      expect((await kit.call('POST', cm, '{"metadata":{"name":"b"},"x":1e400}')).status).toBe(201)
    }))

  it('F1: unknown fields of metadata of a custom resource have no owner', () =>
    withServer(async kit => {
      await withGames(kit)
      await kit.call('POST', games, game('a', {}, { strange: 1, labels: { l: 'v' } }))
      const { json } = await kit.call('PATCH', `${games}/a`, { metadata: { other: 1, labels: { m: 'w' } } }, merge)
      expect(json.metadata.strange ?? json.metadata.other).toBeUndefined()
      const owned = json.metadata.managedFields.map((entry: { fieldsV1: Record<string, object> }) =>
        Object.keys(entry.fieldsV1['f:metadata'] ?? {}),
      )
      expect(new Set(owned.flat())).toEqual(new Set(['f:labels']))
    }))

  it('F1: what it does not do it says: 501 for CBOR, 415 for what no server knows', () =>
    withServer(async kit => {
      await kit.configMap('a')
      const by = async (path: string, type: string): Promise<number> =>
        (await kit.call('PATCH', path, {}, { 'content-type': type })).status
      expect(await by(`${cm}/a?fieldManager=x`, 'application/apply-patch+cbor')).toBe(501)
      expect(await by(`${cm}/a`, 'application/json')).toBe(415)
      await withGames(kit)
      await kit.call('POST', games, game('chess'))
      expect(await by(`${games}/chess`, 'application/strategic-merge-patch+json')).toBe(415)
    }))
})

describe('delete', () => {
  it('F1: takes preconditions and orphanDependents from its query, too', () =>
    withServer(async ({ call, configMap }) => {
      const { metadata } = await configMap('a')
      expect((await call('DELETE', `${cm}/a?uid=other`)).status).toBe(409)
      expect((await call('DELETE', `${cm}/a?resourceVersion=1`)).status).toBe(409)
      const marked = await call('DELETE', `${cm}/a?uid=${metadata.uid}&orphanDependents=true`)
      expect(marked.json.metadata.finalizers).toEqual(['orphan'])
    }))

  it('F1: answers a Status with the uid, then 404', () =>
    withServer(async ({ call, configMap }) => {
      const { metadata } = await configMap('a')
      expect((await call('DELETE', `${cm}/a`)).json).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'a', kind: 'configmaps', uid: metadata.uid },
      })
      expect((await call('DELETE', `${cm}/a`)).status).toBe(404)
    }))

  it('F1: preconditions that do not hold are conflicts', () =>
    withServer(async ({ call, configMap }) => {
      const { metadata } = await configMap('a')
      const del = (preconditions: object): ReturnType<typeof call> => call('DELETE', `${cm}/a`, { preconditions })
      expect(said(await del({ uid: 'abc' }))[2]).toContain('the UID in the precondition (abc) does not match')
      expect((await del({ resourceVersion: '1' })).status).toBe(409)
      expect((await del({ uid: metadata.uid, resourceVersion: metadata.resourceVersion })).status).toBe(200)
    }))

  it('F1: finalizers hold an object, and the patch that takes the last one answers the old resourceVersion', () =>
    withServer(async kit => {
      await withGames(kit)
      const { call, sim, server, watch } = kit
      const made = await call('POST', games, game('chess', {}, { finalizers: ['x.example.com/hold'] }))
      const stream = await watch(`${games}?watch=1&resourceVersion=${made.json.metadata.resourceVersion}`)
      const first = await call('DELETE', `${games}/chess`)
      expect(first.json).toMatchObject({
        kind: 'Game',
        metadata: { deletionGracePeriodSeconds: 0, generation: 2, deletionTimestamp: expect.any(String) },
      })
      const again = await call('DELETE', `${games}/chess`)
      expect(again.json.metadata.resourceVersion).toBe(first.json.metadata.resourceVersion)
      expect(said(await call('POST', games, game('chess')))[2]).toBe(
        'object is being deleted: games.arcade.example.com "chess" already exists',
      )
      const more = await call(
        'PATCH',
        `${games}/chess`,
        { metadata: { finalizers: ['x.example.com/hold', 'y.example.com/more'] } },
        merge,
      )
      expect([more.status, more.json.message]).toEqual([
        422,
        expect.stringContaining('no new finalizers can be added if the object is being deleted'),
      ])
      const last = await call('PATCH', `${games}/chess`, { metadata: { finalizers: null } }, merge)
      expect([last.status, last.json.metadata.resourceVersion, last.json.metadata.finalizers]).toEqual([
        200,
        first.json.metadata.resourceVersion,
        undefined,
      ])
      expect((await call('GET', `${games}/chess`)).status).toBe(404)
      await sim.advance(10)
      expect(brief(stream.events)).toEqual(['MODIFIED chess', 'DELETED chess'])
      expect(stream.events[1]?.object.metadata).toMatchObject({
        resourceVersion: String(await server.revision()),
        finalizers: ['x.example.com/hold'],
      })
    }))

  it('F1: a collection is deleted by selectors, with a trailing slash too', () =>
    withServer(async ({ call, configMap }) => {
      await configMap('a', { labels: { app: 'web' } })
      await configMap('b', { labels: { app: 'db' } })
      const some = await call('DELETE', `${cm}?labelSelector=app%3Dweb`)
      expect([some.json.kind, some.json.items.length]).toEqual(['ConfigMapList', 1])
      expect(
        (await call('GET', cm)).json.items.map((item: { metadata: { name: string } }) => item.metadata.name),
      ).toEqual(['b'])
      await call('DELETE', `${cm}/`)
      expect((await call('GET', cm)).json.items).toEqual([])
    }))

  it('F1: a pod that runs is deleted gracefully, one that was never scheduled at once', () =>
    withServer(async ({ call }) => {
      const pods = '/api/v1/namespaces/default/pods'
      await call('POST', pods, { metadata: { name: 'new' }, spec: { containers: [{ name: 'c', image: 'i' }] } })
      await call('POST', pods, {
        metadata: { name: 'runs' },
        spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
      })
      expect((await call('DELETE', `${pods}/new`)).json.kind).toBe('Pod')
      expect((await call('GET', `${pods}/new`)).status).toBe(404)
      expect((await call('DELETE', `${pods}/runs`)).json.metadata.deletionGracePeriodSeconds).toBe(30)
      expect((await call('GET', `${pods}/runs`)).status).toBe(200)
      await call('DELETE', `${pods}/runs`, { gracePeriodSeconds: 0 })
      expect((await call('GET', `${pods}/runs`)).status).toBe(404)
    }))

  it('F1: a pod that has ended is deleted at once, and a negative grace period is one second', () =>
    withServer(async ({ call }) => {
      const pods = '/api/v1/namespaces/default/pods'
      const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] }
      for (const name of ['done', 'runs']) await call('POST', pods, { metadata: { name }, spec })
      await call('PATCH', `${pods}/done/status`, { status: { phase: 'Succeeded' } }, merge)
      await call('DELETE', `${pods}/done`)
      expect((await call('GET', `${pods}/done`)).status).toBe(404)
      const { json } = await call('DELETE', `${pods}/runs`, { gracePeriodSeconds: -5 })
      expect(json.metadata.deletionGracePeriodSeconds).toBe(1)
      await call('PATCH', `${pods}/runs/status`, { status: { phase: 'Succeeded' } }, merge)
      await call('DELETE', `${pods}/runs`)
      expect((await call('GET', `${pods}/runs`)).json.metadata.deletionGracePeriodSeconds).toBe(1)
    }))
})

describe('the time of managed fields', () => {
  it('F1: stays with a write that changes nothing, and moves with one of fields that the endpoint ignores', () =>
    withServer(async kit => {
      await withGames(kit)
      const one = `${games}/a?fieldManager=me`
      const time = (json: { metadata: { managedFields: { time: string }[] } }) => json.metadata.managedFields[0]?.time
      const created = await kit.call('POST', `${games}?fieldManager=me`, game('a', { players: 2 }))
      await kit.sim.advance(2000)

      const same = await kit.call('PATCH', one, { spec: { players: 2 } }, merge)
      expect(same.json.metadata.resourceVersion).toBe(created.json.metadata.resourceVersion)
      expect(time(same.json)).toBe(time(created.json))

      // A status that goes by the main endpoint is put back, but a real server has looked at the request before that.
      const ignored = await kit.call('PATCH', one, { spec: { players: 2 }, status: { phase: 'on' } }, merge)
      expect(ignored.json.status).toBeUndefined()
      expect(ignored.json.metadata.resourceVersion).toBe(created.json.metadata.resourceVersion)
      const apply = { 'content-type': 'application/apply-patch+yaml' }
      const applied = { ...(game('b', { players: 1 }) as object) }
      const first = await kit.call('PATCH', `${games}/b?fieldManager=me`, applied, apply)
      await kit.sim.advance(2000)
      const again = await kit.call('PATCH', `${games}/b?fieldManager=me`, applied, apply)
      expect(again.json.metadata.resourceVersion).toBe(first.json.metadata.resourceVersion)
      const off = await kit.call('PATCH', `${games}/b?fieldManager=me`, { ...applied, status: { phase: 'off' } }, apply)
      expect(off.json.status).toBeUndefined()
      expect(off.json.metadata.resourceVersion).not.toBe(first.json.metadata.resourceVersion)
      expect(time(off.json)).not.toBe(time(first.json))
    }))
})
