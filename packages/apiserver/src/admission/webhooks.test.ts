import { describe, expect, it } from 'vitest'
import type { HookCall } from '../outside/hook-client.ts'
import { startEmbeddedApiServer } from '../start-embedded.ts'
import { cm, type Kit, merge, withServer } from '../testkit/in-memory.ts'

const configurations = '/apis/admissionregistration.k8s.io/v1'

interface Review {
  readonly apiVersion: string
  readonly kind: string
  readonly request: { readonly uid: string; readonly [field: string]: unknown }
}

/** What a webhook of a test answers: the response without its uid, or nothing at all. */
type Respond = (request: Review['request'], call: HookCall) => object | Promise<object>

const answering =
  (respond: Respond) =>
  async (call: HookCall): Promise<unknown> => {
    const { apiVersion, kind, request } = call.review as Review
    return { apiVersion, kind, response: { uid: request.uid, ...(await respond(request, call)) } }
  }

async function configure(kit: Kit, kind: 'Mutating' | 'Validating', ...hooks: object[]): Promise<void> {
  const webhooks = hooks.map((hook, i) => ({
    name: `hook${i}.example.com`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { url: 'https://hook.example/x' },
    rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    ...hook,
  }))
  const body = { metadata: { name: `${kind.toLowerCase()}` }, webhooks }
  const made = await kit.call('POST', `${configurations}/${kind.toLowerCase()}webhookconfigurations`, body)
  expect(made.status, made.text).toBe(201)
}

const patchOf = (...operations: object[]): object => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})

describe('admission webhooks', () => {
  it('F1: are called in memory by the function that is given, with the address that they are at', async () => {
    const calls: HookCall[] = []
    const webhooks = answering((_, call) => {
      calls.push(call)
      return { allowed: false, status: { message: 'no', code: 403, reason: 'Forbidden' } }
    })
    await withServer(
      async kit => {
        const service = { namespace: 'hooks', name: 'mine', path: '/v' }
        await configure(kit, 'Validating', { clientConfig: { service } })
        const { status, json } = await kit.call('POST', cm, { metadata: { name: 'a' } })
        expect(status).toBe(403)
        expect(json.message).toBe('admission webhook "hook0.example.com" denied the request: no')
        expect(calls).toHaveLength(1)
        expect(calls[0]).toMatchObject({
          url: undefined,
          service: { ...service, port: 443 },
          review: { kind: 'AdmissionReview', request: { operation: 'CREATE', name: 'a' } },
        })
      },
      { webhooks },
    )
  })

  it('F1: what another wrote while a webhook was asked is not lost', async () => {
    let release = (): void => undefined
    const waiting: string[] = []
    await withServer(
      async kit => {
        await kit.configMap('a', { data: { n: '0' } })
        await configure(kit, 'Validating', {})
        const slow = kit.call('PATCH', `${cm}/a`, { data: { slow: 'yes' } }, merge)
        await kit.sim.advance(100)
        expect(waiting).toEqual(['0'])
        const fast = await kit.call(
          'PATCH',
          `${cm}/a`,
          { data: { n: '1' }, metadata: { labels: { fast: 'yes' } } },
          merge,
        )
        expect(fast.json.data).toEqual({ n: '1' })
        release()
        expect((await slow).json.data).toEqual({ n: '1', slow: 'yes' })
        // It was asked again about what would be stored now.
        expect(waiting).toEqual(['0', '1'])
      },
      {
        webhooks: answering(async ({ object, oldObject }) => {
          const { data } = object as { data: { n: string; slow?: string } }
          const { metadata } = oldObject as { metadata: { labels?: object } }
          if (data.slow !== undefined) {
            waiting.push(data.n)
            if (metadata.labels === undefined) {
              await new Promise<void>(resolve => {
                release = resolve
              })
            }
          }
          return { allowed: true }
        }),
      },
    )
  })

  it('F1: give up a webhook after its timeout, in simulated time', async () => {
    await withServer(
      async kit => {
        await configure(kit, 'Mutating', { timeoutSeconds: 3 }, { timeoutSeconds: 2, failurePolicy: 'Ignore' })
        const began = kit.sim.clock.now()
        const { status, json } = await kit.call('POST', cm, { metadata: { name: 'a' } })
        expect(status).toBe(500)
        expect(json.message).toBe(
          'Internal error occurred: failed calling webhook "hook0.example.com": failed to call webhook: Post "https://hook.example/x?timeout=3s": context deadline exceeded',
        )
        expect(kit.sim.clock.now() - began).toBeGreaterThanOrEqual(3000)
      },
      { webhooks: () => new Promise(() => undefined) },
    )
  })

  it('F1: that throw, or answer with no review, count as not reached', async () => {
    let answer: () => unknown = () => undefined
    await withServer(
      async kit => {
        await configure(kit, 'Validating', {})
        const message = async (): Promise<string> =>
          (await kit.call('POST', cm, { metadata: { name: 'a' } })).json.message
        answer = () => {
          throw new Error('out of order')
        }
        expect(await message()).toMatch(/failed to call webhook: Post ".*": out of order$/)
        answer = () => 'yes'
        expect(await message()).toMatch(/couldn't get version\/kind/)
        answer = () => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' })
        expect(await message()).toMatch(/received invalid webhook response: webhook response was absent$/)
        answer = () => ({ apiVersion: 'v1', kind: 'Pod', response: { uid: 'x', allowed: true } })
        expect(await message()).toMatch(/expected response.uid=".+", got "x"$/)
      },
      { webhooks: async () => answer() },
    )
  })

  it('F1: are not asked about what the controllers of the server do', async () => {
    const asked: unknown[] = []
    await withServer(
      async kit => {
        await kit.call('POST', '/api/v1/namespaces', { metadata: { name: 'going' } })
        await kit.configMap('inside', { namespace: 'going' })
        await configure(kit, 'Validating', {})
        await kit.call('DELETE', '/api/v1/namespaces/going')
        await kit.sim.advance(1000)
        expect((await kit.call('GET', '/api/v1/namespaces/going')).status).toBe(404)
        expect(asked).toEqual([])
      },
      {
        webhooks: answering(({ name }) => {
          asked.push(name)
          return { allowed: false }
        }),
      },
    )
  })

  it('F1: change the stored object, and each is asked once for one request', async () => {
    const asked: string[] = []
    await withServer(
      async kit => {
        await configure(kit, 'Mutating', {}, {})
        await configure(kit, 'Validating', {}, {})
        const { json } = await kit.call('POST', cm, { metadata: { generateName: 'gen-' } })
        expect(json.data).toEqual({ by: 'hook' })
        expect((await kit.call('GET', `${cm}/${json.metadata.name}`)).json).toEqual(json)
        expect(asked).toEqual([
          'create  {}',
          'create  {"by":"hook"}',
          ...Array(2).fill(`create ${json.metadata.name} {"by":"hook"}`),
        ])
      },
      {
        webhooks: answering(({ name = '', object, operation }) => {
          const { data = {} } = object as { data?: object }
          asked.push(`${String(operation).toLowerCase()} ${name} ${JSON.stringify(data)}`)
          return asked.length === 1 ? patchOf({ op: 'add', path: '/data', value: { by: 'hook' } }) : { allowed: true }
        }),
      },
    )
  })

  it('F1: conditions in CEL choose the requests, and one that fails counts as the failure policy says', async () => {
    const asked: unknown[] = []
    const webhooks = answering(({ name }) => {
      asked.push(name)
      return { allowed: true }
    })
    await withServer(
      async kit => {
        await configure(kit, 'Validating', {
          matchConditions: [
            { name: 'mine', expression: "object.data.owner == request.userInfo.username || object.data.owner == 'me'" },
            { name: 'may', expression: "authorizer.requestResource.check('delete').allowed()" },
          ],
        })
        await configure(kit, 'Mutating', {
          failurePolicy: 'Ignore',
          matchConditions: [{ name: 'fails', expression: "object.data.absent == ''" }],
        })
        await kit.call('POST', cm, { metadata: { name: 'mine' }, data: { owner: 'me' } })
        await kit.call('POST', cm, { metadata: { name: 'yours' }, data: { owner: 'you' } })
        const { status, json } = await kit.call('POST', cm, { metadata: { name: 'bad' } })
        expect(asked).toEqual(['mine'])
        expect([status, json.message]).toEqual([
          403,
          "configmaps \"bad\" is forbidden: expression 'object.data.owner == request.userInfo.username || object.data.owner == 'me'' resulted in error: no such key: data",
        ])
      },
      { webhooks },
    )
  })

  it('F1: a configuration with conditions that are no expressions of CEL is refused, with their problems', () =>
    withServer(
      async kit => {
        const body = {
          metadata: { name: 'x' },
          webhooks: [
            {
              ...{ name: 'a.example.com', admissionReviewVersions: ['v1'], sideEffects: 'None' },
              clientConfig: { url: 'https://hook.example/x' },
              matchConditions: [{ name: 'x', expression: 'object.a' }],
            },
          ],
        }
        const { status, json } = await kit.call('POST', `${configurations}/validatingwebhookconfigurations`, body)
        expect([status, json.details]).toMatchObject([
          422,
          {
            causes: [
              {
                field: 'webhooks[0].matchConditions[0].expression',
                message: 'Invalid value: "object.a": must evaluate to bool but got dyn',
              },
            ],
          },
        ])
      },
      { webhooks: async () => undefined },
    ))

  it('F1: a delete with options that are no object is refused as it is without webhooks', () =>
    withServer(
      async kit => {
        const refusals = async (): Promise<unknown[]> => {
          const one = await kit.call('DELETE', `${cm}/a`, [1])
          const all = await kit.call('DELETE', cm, [1])
          return [one.status, one.json.message, all.status, all.json.message]
        }
        await kit.call('POST', cm, { metadata: { name: 'a' } })
        const without = await refusals()
        expect(without).toEqual([400, expect.stringContaining('cannot unmarshal array'), 400, without[1]])
        await configure(kit, 'Validating', {})
        expect(await refusals()).toEqual(without)
      },
      { webhooks: answering(() => ({ allowed: true })) },
    ))

  it('F1: a configuration is 501 where nothing can be called', async () => {
    const hook = {
      name: 'a.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig: { url: 'https://hook.example/x' },
    }
    const path = `${configurations}/validatingwebhookconfigurations`
    const body = { metadata: { name: 'x' }, webhooks: [hook] }
    await withServer(async kit => {
      const { status, json } = await kit.call('POST', path, body)
      expect([status, json.message]).toEqual([501, expect.stringContaining('without sockets and `webhooks`')])
    })
  })

  it('X6: are no option of an isolated server, and take a function', async () => {
    await expect(startEmbeddedApiServer({ isolate: true, webhooks: async () => undefined })).rejects.toMatchObject({
      option: 'webhooks',
    })
    await expect(startEmbeddedApiServer({ webhooks: 'yes' as never })).rejects.toMatchObject({ option: 'webhooks' })
  })
})
