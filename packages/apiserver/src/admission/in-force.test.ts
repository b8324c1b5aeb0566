import { describe, expect, it } from 'vitest'
import { cm, definitions, game, gameDefinition, games, type Kit, merge, withServer } from '../testkit/in-memory.ts'

const group = '/apis/admissionregistration.k8s.io/v1'
const late = { takeEffectMs: 1000, network: { latencyMs: 0 } } as const
const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }

/** The status of the creation of a ConfigMap. */
const created = async (kit: Kit): Promise<number> =>
  (await kit.call('POST', cm, { metadata: { generateName: 'a-' } })).status

async function made(kit: Kit, path: string, object: object): Promise<void> {
  const { status, text } = await kit.call('POST', path, object)
  expect(status, text).toBe(201)
}

async function refuseAll(kit: Kit): Promise<void> {
  const spec = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'false' }] }
  await made(kit, `${group}/validatingadmissionpolicies`, { metadata: { name: 'p' }, spec })
  const bound = { policyName: 'p', validationActions: ['Deny'] }
  await made(kit, `${group}/validatingadmissionpolicybindings`, { metadata: { name: 'b' }, spec: bound })
}

/** Expects `before` until a second after now, and `then` from there on. */
async function changesAfterOneSecond<T>(kit: Kit, ask: () => Promise<T>, before: T, then: T): Promise<void> {
  await kit.sim.advance(999)
  expect(await ask()).toEqual(before)
  await kit.sim.advance(1)
  expect(await ask()).toEqual(then)
}

describe('takeEffectMs', () => {
  it('F1: a policy and its end are met so long after they were written', () =>
    withServer(async kit => {
      await refuseAll(kit)
      await changesAfterOneSecond(kit, () => created(kit), 201, 422)
      await kit.call('DELETE', `${group}/validatingadmissionpolicybindings/b`)
      await changesAfterOneSecond(kit, () => created(kit), 422, 201)
    }, late))

  it('F1: so is a webhook, in the state that it had then', () =>
    withServer(
      async kit => {
        const hook = (failurePolicy: string) => ({
          metadata: { name: 'h' },
          webhooks: [
            {
              ...{ name: 'h.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy },
              clientConfig: { url: 'https://h.example.com' },
              rules: [rule],
            },
          ],
        })
        const configurations = `${group}/validatingwebhookconfigurations`
        await made(kit, configurations, hook('Fail'))
        await changesAfterOneSecond(kit, () => created(kit), 201, 500)
        await kit.call('PATCH', `${configurations}/h`, hook('Ignore'), merge)
        await changesAfterOneSecond(kit, () => created(kit), 500, 201)
      },
      {
        ...late,
        webhooks: async () => {
          throw new Error('no answer')
        },
      },
    ))

  it('F1: a definition is served so long after it is Established, and its changes as long after they were written', () =>
    withServer(
      async kit => {
        const named = `${definitions}/games.arcade.example.com`
        await made(kit, definitions, gameDefinition())
        await kit.sim.advance(20)
        expect((await kit.call('GET', named)).json.status.conditions[1]).toMatchObject({
          type: 'Established',
          status: 'True',
        })
        const list = async () => (await kit.call('GET', games)).status
        await changesAfterOneSecond(kit, list, 404, 200)
        const refusing = { 'x-kubernetes-validations': [{ rule: 'false' }], type: 'object' }
        const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: refusing } }
        await kit.call('PATCH', named, { spec: { versions: [version] } }, merge)
        const creation = async () => (await kit.call('POST', `${games}?dryRun=All`, game('chess'))).status
        await changesAfterOneSecond(kit, creation, 201, 422)
        await kit.call('PATCH', named, gameDefinition(), merge)
        await kit.call('DELETE', named)
        await kit.sim.advance(2000)
        expect(await list()).toBe(404)
      },
      { ...late, establishMs: 20 },
    ))

  it('F1: a restart brings all into force, and etcd restored forgets what it does not hold', () =>
    withServer(async kit => {
      await refuseAll(kit)
      await kit.server.restart()
      await kit.sim.advance(1)
      expect(await created(kit)).toBe(422)
      const revision = Number((await kit.call('GET', cm)).json.metadata.resourceVersion)
      await kit.call('DELETE', `${group}/validatingadmissionpolicybindings/b`)
      await kit.sim.advance(500)
      await kit.server.restoreEtcd(revision)
      await kit.sim.advance(1000)
      expect(await created(kit)).toBe(422)
    }, late))

  it('F1: by default all is met at once', () =>
    withServer(async kit => {
      await refuseAll(kit)
      expect(await created(kit)).toBe(422)
    }))
})
