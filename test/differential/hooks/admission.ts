import { allow, answer, deny, patch } from './hook-server.ts'
import { type HookScenario, type Kit, rule } from './kit.ts'

const cms = '/api/v1/namespaces/{ns}/configmaps'
const a = `${cms}/a`
const configMap = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...more },
  data: { k: 'v' },
})
const merge = 'application/merge-patch+json'
const jsonPatch = 'application/json-patch+json'
const all = ['CREATE', 'UPDATE', 'DELETE']
const game = (kit: Kit, version: string, name: string, more: object = {}): object => ({
  apiVersion: `${kit.group}/${version}`,
  kind: 'Game',
  metadata: { name },
  ...more,
})
const anything = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
const version = (name: string, storage: boolean, more: object = {}): object => ({
  name,
  served: true,
  storage,
  schema: anything,
  ...more,
})

export const admissionScenarios: readonly HookScenario[] = [
  {
    name: 'a validating webhook is called for every write',
    async run(kit) {
      const rules = [rule(all, ['configmaps', 'configmaps/*'])]
      await kit.configure('Validating', [{ name: 'a.b.c', rules, path: '/v', handler: allow }])
      await kit.ask('POST', `${cms}?fieldManager=me`, { body: configMap('a') })
      await kit.ask('PUT', `${a}?fieldValidation=Ignore`, { body: configMap('a', { labels: { x: 'y' } }) })
      await kit.ask('PATCH', a, { body: { data: { k: 'w' } }, type: merge })
      await kit.ask('PATCH', `${a}?dryRun=All`, { body: [{ op: 'remove', path: '/data/k' }], type: jsonPatch })
      await kit.ask('PATCH', a, { body: {}, type: merge })
      await kit.ask('DELETE', `${a}?resourceVersion=1&orphanDependents=false&gracePeriodSeconds=3`)
      await kit.ask('DELETE', `${a}?propagationPolicy=Background`)
      await kit.ask('POST', cms, { body: { metadata: { generateName: 'gen-' } } })
      await kit.ask('POST', `${cms}?dryRun=All`, { body: configMap('b') })
      await kit.ask('DELETE', `${cms}/nothing`)
      kit.reviews('/v')
    },
  },
  {
    name: 'a mutating webhook is called for every write, before the server completes it',
    async run(kit) {
      const rules = [rule(all, ['configmaps'])]
      await kit.configure('Mutating', [{ name: 'a.b.c', rules, path: '/m', handler: allow }])
      await kit.ask('POST', cms, { body: { metadata: { generateName: 'gen-', uid: 'mine', generation: 7 } } })
      await kit.ask('POST', cms, { body: configMap('a') })
      await kit.ask('PUT', a, { body: configMap('a', { resourceVersion: '1' }) })
      await kit.ask('PUT', a, { body: configMap('a', { uid: 'mine' }) })
      await kit.ask('PATCH', a, { body: { metadata: { labels: { x: 'y' } } }, type: merge })
      await kit.ask('DELETE', a, { body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 5 } })
      await kit.ask('DELETE', a)
      kit.reviews('/m')
    },
  },
  {
    name: 'what a mutating webhook patches is stored',
    async run(kit) {
      const handler = patch(
        { op: 'add', path: '/metadata/labels', value: { by: 'hook' } },
        { op: 'replace', path: '/data/k', value: 'hooked' },
      )
      await kit.configure('Mutating', [
        { name: 'a.b.c', rules: [rule(['CREATE', 'UPDATE'], ['configmaps'])], path: '/m', handler },
      ])
      await kit.ask('POST', cms, { body: configMap('a') })
      await kit.ask('GET', a)
      await kit.ask('PATCH', a, { body: { data: { k: 'other', l: 'm' } }, type: merge })
      await kit.ask('POST', `${cms}?dryRun=All`, { body: configMap('b') })
      kit.reviews('/m')
    },
  },
  {
    name: 'mutating webhooks come one after the other, and validating ones see what they made',
    async run(kit) {
      const rules = [rule(['CREATE'], ['configmaps'])]
      const add = (key: string) => patch({ op: 'add', path: `/data/${key}`, value: key })
      await kit.configure('Mutating', [{ name: 'z.b.c', rules, path: '/m2', handler: add('second') }], '-b')
      await kit.configure(
        'Mutating',
        [
          { name: 'b.b.c', rules, path: '/m0', handler: add('zeroth') },
          { name: 'a.b.c', rules, path: '/m1', handler: add('first') },
        ],
        '-a',
      )
      await kit.configure('Validating', [{ name: 'v.b.c', rules, path: '/v', handler: allow }])
      await kit.ask('POST', cms, { body: configMap('a') })
      for (const path of ['/m0', '/m1', '/m2', '/v']) kit.reviews(path)
    },
  },
  {
    name: 'a webhook that asks for it is called again when another changed the object',
    async run(kit) {
      const rules = [rule(['CREATE'], ['configmaps'])]
      const add = (key: string) => patch({ op: 'add', path: `/data/${key}`, value: key })
      await kit.configure('Mutating', [
        { name: 'a.b.c', rules, path: '/m0', handler: allow, reinvocationPolicy: 'IfNeeded' },
        { name: 'b.b.c', rules, path: '/m1', handler: add('b'), reinvocationPolicy: 'IfNeeded' },
        { name: 'c.b.c', rules, path: '/m2', handler: allow },
      ])
      await kit.ask('POST', cms, { body: configMap('a') })
      for (const path of ['/m0', '/m1', '/m2']) kit.reviews(path)
    },
  },
  {
    name: 'denials',
    async run(kit) {
      const statuses = {
        plain: {},
        message: { message: 'no', code: 200 },
        reason: { reason: 'Because' },
        code: { code: 418, message: 'teapot', reason: 'Teapot' },
        details: { code: 422, message: 'bad', reason: 'Invalid', details: { name: 'x', causes: [{ field: 'f' }] } },
        success: { status: 'Success', message: 'yes?', code: 409 },
      }
      await kit.configure(
        'Validating',
        Object.entries(statuses).map(([name, status]) => ({
          name: `${name}.b.c`,
          rules: [rule(all, ['configmaps'])],
          objectSelector: { matchLabels: { deny: name } },
          path: `/${name}`,
          handler: deny(status),
        })),
      )
      await kit.configure('Mutating', [
        {
          name: 'mutating.b.c',
          rules: [rule(all, ['configmaps'])],
          objectSelector: { matchLabels: { deny: 'mutating' } },
          path: '/mutating',
          handler: deny({ message: 'not so' }),
        },
      ])
      for (const name of [...Object.keys(statuses), 'mutating']) {
        await kit.ask('POST', cms, { body: configMap('a', { labels: { deny: name } }) })
      }
      await kit.ask('POST', cms, { body: configMap('a') })
      await kit.ask('PATCH', a, { body: { metadata: { labels: { deny: 'message' } } }, type: merge })
      await kit.ask('GET', a)
    },
  },
  {
    name: 'a denied delete leaves the object',
    async run(kit) {
      await kit.configure('Validating', [
        { name: 'a.b.c', rules: [rule(['DELETE'], ['configmaps'])], path: '/v', handler: deny({ message: 'keep it' }) },
      ])
      await kit.ask('POST', cms, { body: configMap('a', { finalizers: ['x.y/z'] }) })
      await kit.ask('DELETE', a)
      await kit.ask('DELETE', cms)
      await kit.ask('DELETE', a, { body: { preconditions: { uid: 'other' } } })
      await kit.ask('GET', a)
      kit.reviews('/v')
    },
  },
  {
    name: 'deleting a collection asks about each object',
    async run(kit) {
      const handler: Parameters<HookScenario['run']>[0]['hooks']['on'] extends (p: string, h: infer H) => void
        ? H
        : never = review => answer(review, { allowed: review.request.oldObject.metadata.name !== 'c' })
      await kit.configure('Validating', [
        { name: 'a.b.c', rules: [rule(['DELETE'], ['secrets'])], path: '/v', handler },
      ])
      for (const name of ['a', 'b'])
        await kit.ask('POST', '/api/v1/namespaces/{ns}/secrets', { body: { metadata: { name } } })
      await kit.ask('DELETE', '/api/v1/namespaces/{ns}/secrets')
      await kit.ask('GET', '/api/v1/namespaces/{ns}/secrets')
      kit.reviews('/v')
    },
  },
  {
    name: 'webhooks that can not be asked fail the request, or are ignored',
    async run(kit) {
      const bad = {
        status: () => ({ status: 500, text: 'out of order' }),
        missing: () => ({ status: 404, text: 'nothing here' }),
        teapot: () => ({ status: 418, text: 'a teapot' }),
        absent: () => ({ review: { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' } }),
        uid: () => ({
          review: { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: { uid: 'x', allowed: true } },
        }),
        slow: () => undefined,
      }
      for (const failurePolicy of ['Fail', 'Ignore']) {
        await kit.configure(
          'Validating',
          Object.entries(bad).map(([name, handler]) => ({
            name: `${name}.b.c`,
            rules: [rule(all, ['configmaps'])],
            objectSelector: { matchLabels: { bad: `${name}-${failurePolicy}` } },
            path: `/${name}`,
            handler,
            failurePolicy,
            // Only the one that is to be late is asked in a hurry: the others answer on a busy machine, too.
            timeoutSeconds: name === 'slow' ? 1 : 30,
          })),
          `-${failurePolicy.toLowerCase()}`,
        )
        for (const name of Object.keys(bad)) {
          const labels = { bad: `${name}-${failurePolicy}` }
          await kit.ask('POST', `${cms}?dryRun=All`, { body: configMap('a', { labels }) })
        }
      }
    },
  },
  {
    name: 'webhooks that redirect',
    async run(kit) {
      const end = kit.hooks.url + kit.path('/end')
      const to = (status: number, location?: string) => () => ({ status, text: 'elsewhere', location })
      const redirects = {
        ...Object.fromEntries([300, 301, 302, 303, 304, 305, 307, 308].map(status => [`s${status}`, to(status, end)])),
        relative: to(307, 'end'),
        loop: to(307, 'loop'),
        gets: to(302, 'gets'),
        nowhere: to(307),
        ftp: to(308, 'ftp://example.com/x'),
        closed: to(307, 'https://127.0.0.1:1/x'),
        plain: to(302, 'http://127.0.0.1:1/x'),
      }
      kit.hooks.on(kit.path('/end'), ({ request }) => ({
        review: {
          ...{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' },
          response: { uid: request.uid ?? 'none', allowed: true },
        },
      }))
      await kit.configure(
        'Validating',
        Object.entries(redirects).map(([name, handler]) => ({
          name: `${name}.b.c`,
          rules: [rule(all, ['configmaps'])],
          objectSelector: { matchLabels: { to: name } },
          path: `/${name}`,
          handler,
        })),
      )
      for (const name of Object.keys(redirects)) {
        await kit.ask('POST', `${cms}?dryRun=All`, { body: configMap('a', { labels: { to: name } }) })
      }
      for (const path of ['/end', '/loop', '/gets', '/nowhere']) kit.requests(path)
    },
  },
  {
    name: 'webhooks that are not there',
    async run(kit) {
      const rules = [rule(all, ['configmaps'])]
      const service = { namespace: kit.ns, name: 'nobody', path: '/x' }
      const url = 'https://127.0.0.1:1/hook'
      await kit.configure('Mutating', [
        { name: 'closed.b.c', rules, clientConfig: { url }, objectSelector: { matchLabels: { bad: 'closed' } } },
        { name: 'nobody.b.c', rules, clientConfig: { service }, objectSelector: { matchLabels: { bad: 'nobody' } } },
        {
          name: 'ignored.b.c',
          rules,
          clientConfig: { url },
          failurePolicy: 'Ignore',
          objectSelector: { matchLabels: { bad: 'ignored' } },
        },
        {
          name: 'stranger.b.c',
          rules,
          clientConfig: { url: `${kit.hooks.url}/x` },
          objectSelector: { matchLabels: { bad: 'stranger' } },
        },
      ])
      for (const bad of ['closed', 'nobody', 'ignored', 'stranger']) {
        await kit.ask('POST', cms, { body: configMap('a', { labels: { bad } }) })
      }
    },
  },
  {
    name: 'a bundle may hold the certificate of the webhook itself',
    async run(kit) {
      const { leafBundle } = kit.hooks
      const url = kit.hooks.url + kit.path('/leaf')
      const clientConfig = { url, caBundle: leafBundle }
      const handler = patch({ op: 'add', path: '/data/by', value: 'leaf' })
      const rules = [rule(['CREATE'], ['configmaps'])]
      await kit.configure('Mutating', [{ name: 'a.b.c', rules, path: '/leaf', handler, clientConfig }])
      await kit.ask('POST', cms, { body: configMap('a') })
    },
  },
  {
    name: 'answers of a mutating webhook that are no patches',
    async run(kit) {
      const text = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')
      const responses = {
        untyped: { allowed: true, patch: text([{ op: 'add', path: '/data/x', value: 'y' }]) },
        empty: { allowed: true, patchType: 'JSONPatch' },
        none: { allowed: true, patchType: 'JSONPatch', patch: text([]) },
        merge: { allowed: true, patchType: 'Merge', patch: text([{ op: 'add', path: '/data/x', value: 'y' }]) },
        path: { allowed: true, patchType: 'JSONPatch', patch: text([{ op: 'remove', path: '/spec/x/y' }]) },
      }
      await kit.configure(
        'Mutating',
        Object.entries(responses).map(([name, response]) => ({
          name: `${name}.b.c`,
          rules: [rule(all, ['configmaps'])],
          objectSelector: { matchLabels: { bad: name } },
          path: `/${name}`,
          handler: review => answer(review, response),
        })),
      )
      await kit.configure('Validating', [
        {
          name: 'patches.b.c',
          rules: [rule(all, ['configmaps'])],
          objectSelector: { matchLabels: { bad: 'validating' } },
          path: '/validating',
          handler: patch({ op: 'add', path: '/data/x', value: 'y' }),
        },
      ])
      for (const bad of [...Object.keys(responses), 'validating']) {
        await kit.ask('POST', `${cms}?dryRun=All`, { body: configMap('a', { labels: { bad } }) })
      }
      await kit.ask('POST', cms, { body: configMap('b', { labels: { bad: 'none' } }) })
      await kit.ask('DELETE', `${cms}/b`)
    },
    // The words of the library that applies the patch.
    except: ['4.body.message', '4.body.details'],
  },
  {
    name: 'warnings of webhooks are passed on',
    async run(kit) {
      const handler =
        (allowed: boolean, ...warnings: string[]) =>
        (review: Parameters<typeof answer>[0]) =>
          answer(review, { allowed, warnings })
      const rules = [rule(['CREATE'], ['configmaps'])]
      await kit.configure('Validating', [
        { name: 'a.b.c', rules, path: '/v', handler: handler(true, 'careful', 'twice', 'twice') },
      ])
      await kit.ask('POST', cms, { body: configMap('a') })
    },
  },
  {
    name: 'rules choose by scope, resource, operation and subresource',
    async run(kit) {
      const hook = (name: string, ...rules: object[]) => ({
        name: `${name}.b.c`,
        rules,
        path: `/${name}`,
        handler: allow,
      })
      await kit.configure('Validating', [
        hook('star', rule(['*'], ['*'])),
        hook('deep', rule(['*'], ['*/*'])),
        hook('status', rule(['UPDATE'], ['pods/status'])),
        hook('scoped', rule(['*'], ['*'], { scope: 'Namespaced' })),
        hook('cluster', rule(['*'], ['*'], { scope: 'Cluster' })),
        hook('apps', rule(['*'], ['deployments'], { apiGroups: ['apps'], apiVersions: ['v1'] })),
        hook('other', rule(['*'], ['configmaps'], { apiGroups: ['apps'] })),
      ])
      await kit.ask('POST', cms, { body: configMap('a') })
      await kit.ask('PATCH', '/api/v1/namespaces/{ns}', { body: { metadata: { labels: { x: 'y' } } }, type: merge })
      for (const name of ['star', 'deep', 'status', 'scoped', 'cluster', 'apps', 'other']) kit.reviews(`/${name}`)
    },
  },
  {
    name: 'selectors look at labels before and after',
    async run(kit) {
      const hook = (name: string, objectSelector: object) => ({
        name: `${name}.b.c`,
        rules: [rule(all, ['configmaps'])],
        path: `/${name}`,
        handler: allow,
        objectSelector,
      })
      await kit.configure('Validating', [
        hook('red', { matchLabels: { colour: 'red' } }),
        hook('in', { matchExpressions: [{ key: 'colour', operator: 'In', values: ['red', 'blue'] }] }),
        hook('notin', { matchExpressions: [{ key: 'colour', operator: 'NotIn', values: ['red'] }] }),
        hook('exists', { matchExpressions: [{ key: 'colour', operator: 'Exists' }] }),
        hook('absent', { matchExpressions: [{ key: 'colour', operator: 'DoesNotExist' }] }),
      ])
      await kit.ask('POST', cms, { body: configMap('a', { labels: { colour: 'red' } }) })
      await kit.ask('PATCH', a, { body: { metadata: { labels: { colour: null } } }, type: merge })
      await kit.ask('DELETE', a)
      for (const name of ['red', 'in', 'notin', 'exists', 'absent']) kit.reviews(`/${name}`)
    },
  },
  {
    name: 'custom resources, their status and their scale',
    async run(kit) {
      const subresources = {
        status: {},
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      }
      await kit.define([version('v1', true, { subresources })])
      const rules = [rule(all, ['games', 'games/status', 'games/scale'], { apiGroups: [kit.group] })]
      await kit.configure('Mutating', [{ name: 'm.b.c', rules, path: '/m', handler: allow }])
      await kit.configure('Validating', [{ name: 'v.b.c', rules, path: '/v', handler: allow }])
      await kit.ask('POST', kit.games('v1'), {
        body: game(kit, 'v1', 'a', { spec: { replicas: 1 }, status: { x: 1 } }),
      })
      await kit.ask('PATCH', kit.games('v1', 'a/status'), {
        body: { status: { replicas: 1 }, spec: { y: 1 } },
        type: merge,
      })
      await kit.ask('PATCH', kit.games('v1', 'a/scale'), { body: { spec: { replicas: 3 } }, type: merge })
      await kit.ask('GET', kit.games('v1', 'a'))
      kit.reviews('/m')
      kit.reviews('/v')
    },
    // Nobody owns the fields of a Scale here.
    except: ['4.body.2.request.object.metadata.managedFields', '4.body.2.request.oldObject.metadata.managedFields'],
  },
  {
    name: 'a webhook for another version sees the object at that version',
    async run(kit) {
      await kit.define([version('v1', true), version('v2', false)])
      const rules = [rule(all, ['games'], { apiGroups: [kit.group], apiVersions: ['v2'] })]
      const handler = patch({ op: 'add', path: '/spec', value: { by: 'hook' } })
      await kit.configure('Mutating', [
        { name: 'e.b.c', rules, path: '/e', handler },
        { name: 'x.b.c', rules, path: '/x', handler: deny({}), matchPolicy: 'Exact' },
      ])
      await kit.configure('Validating', [{ name: 'v.b.c', rules, path: '/v', handler: allow }])
      await kit.ask('POST', kit.games('v1'), { body: game(kit, 'v1', 'a', { spec: { x: 1 } }) })
      for (const path of ['/e', '/x', '/v']) kit.reviews(path)
    },
  },
  {
    name: 'what a webhook adds is pruned, completed and validated',
    async run(kit) {
      const spec = {
        type: 'object',
        properties: { size: { type: 'integer', maximum: 5 }, colour: { type: 'string', default: 'blue' } },
      }
      const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
      await kit.define([version('v1', true, { schema })])
      const rules = [rule(['CREATE'], ['games'], { apiGroups: [kit.group] })]
      const hook = (name: string, value: unknown) => ({
        name: `${name}.b.c`,
        rules,
        path: `/${name}`,
        objectSelector: { matchLabels: { hook: name } },
        handler: patch({ op: 'add', path: '/spec', value }),
      })
      await kit.configure('Mutating', [hook('pruned', { size: 1, strange: true }), hook('refused', { size: 9 })])
      await kit.configure('Validating', [{ name: 'v.b.c', rules, path: '/v', handler: allow }])
      for (const label of ['pruned', 'refused']) {
        const metadata = { name: label, labels: { hook: label } }
        await kit.ask('POST', kit.games('v1'), { body: { ...game(kit, 'v1', label), metadata } })
      }
      await kit.ask('GET', kit.games('v1', 'pruned'))
      kit.reviews('/v')
    },
    // What a mutating webhook adds is pruned at once, and not only when it is stored.
    except: ['3.body.0.request.object.spec.strange'],
  },
  {
    name: 'refusals come in the order of the checks',
    async run(kit) {
      const rules = [rule(['CREATE', 'UPDATE'], ['configmaps'])]
      await kit.configure('Mutating', [{ name: 'm.b.c', rules, path: '/m', handler: allow }])
      await kit.configure('Validating', [{ name: 'v.b.c', rules, path: '/v', handler: deny({ message: 'no' }) }])
      await kit.ask('POST', cms, { body: configMap('Bad Name') })
      await kit.ask('POST', cms, { body: '{"kind":' })
      await kit.ask('POST', '/api/v1/namespaces/{ns}-none/configmaps', { body: configMap('a') })
      await kit.ask('PUT', `${cms}/none`, { body: configMap('none') })
      await kit.ask('POST', cms, { body: configMap('a') })
      kit.reviews('/m')
      kit.reviews('/v')
    },
  },
  {
    name: 'webhook configurations themselves',
    async run(kit) {
      const collection = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
      const whole = {
        name: 'a.b.c',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: 'https://127.0.0.1:1/' },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': kit.ns } },
        rules: [rule(['CREATE'], ['configmaps'])],
      }
      const write = async (name: string, ...webhooks: object[]): Promise<void> => {
        const kind = 'ValidatingWebhookConfiguration'
        const body = {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind,
          metadata: { name: `${name}-${kit.ns}` },
          webhooks,
        }
        await kit.ask('POST', `${collection}?dryRun=All`, { body })
      }
      await write('whole', whole)
      const { sideEffects: _, ...unsure } = whole
      await write('unsure', unsure)
      await write('effects', { ...whole, sideEffects: 'Some' })
      await write('short', { ...whole, name: 'a.b' })
      await write('twice', whole, whole)
      await write('versions', { ...whole, admissionReviewVersions: ['v9'] })
      await write('none', { ...whole, admissionReviewVersions: [] })
      await write('http', { ...whole, clientConfig: { url: 'http://x/y?z=1#f' } })
      await write('nowhere', { ...whole, clientConfig: {} })
      await write('both', { ...whole, clientConfig: { url: 'https://x', service: { name: 'a', namespace: 'b' } } })
      await write('service', { ...whole, clientConfig: { service: { name: 'a', namespace: 'b' } } })
      await write('slow', { ...whole, timeoutSeconds: 31 })
      await write('policy', { ...whole, failurePolicy: 'Maybe', matchPolicy: 'Never' })
      await write('rules', {
        ...whole,
        rules: [{ operations: ['*', 'CREATE'], apiGroups: [], apiVersions: ['*', 'v1'], resources: [] }],
      })
      await write('scope', { ...whole, rules: [rule(['READ'], ['pods'], { scope: 'All' })] })
    },
    except: ['*.body.metadata.managedFields'],
  },
]
