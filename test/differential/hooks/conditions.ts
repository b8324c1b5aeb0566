import { allow } from './hook-server.ts'
import { type HookScenario, type Kit, rule, type Webhook } from './kit.ts'

const cms = '/api/v1/namespaces/{ns}/configmaps'
const merge = 'application/merge-patch+json'
const all = ['CREATE', 'UPDATE', 'DELETE']
const configMap = (name: string, data: object = { k: 'v' }): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})

/** Conditions, each of a webhook of its own, which is called only if its condition holds. */
const conditions: Readonly<Record<string, string>> = {
  object: "object.data.k == 'v'",
  old: 'oldObject == null',
  both: 'oldObject != null && object != null && object.data != oldObject.data',
  operation: "request.operation == 'UPDATE' && request.dryRun",
  kinds:
    "request.kind.kind == 'ConfigMap' && request.requestResource.resource == 'configmaps' && request.kind.group == ''",
  names: "request.name == 'a' && request.namespace == object.metadata.namespace",
  user: "request.userInfo.username != '' && 'system:authenticated' in request.userInfo.groups",
  options: "has(request.options.fieldManager) && request.options.fieldManager == 'me'",
  subresource: '!has(request.subResource)',
  labels: "has(object.metadata.labels) && 'x' in object.metadata.labels",
  optional: "object.?metadata.?labels.?x.orValue('none') == 'none'",
  number: 'type(object.metadata.?generation.orValue(0)) == int && size(object.data) == 1',
  map: 'object.data.all(k, object.data[k] != "w")',
  literal: "object.data == {'k': 'v'} && {'k': 'v'} == object.data",
  namespace: 'namespaceObject == null',
  allowed: "authorizer.group('').resource('configmaps').namespace(request.namespace).check('create').allowed()",
  secrets: "authorizer.group('').resource('secrets').namespace('default').check('delete').allowed()",
  this: "authorizer.requestResource.check('delete').allowed()",
  other: "authorizer.requestResource.name('b').subresource('status').check('use').allowed()",
  path: "authorizer.path('/healthz').check('get').allowed() && !authorizer.path('/nowhere').check('get').allowed()",
  account: "authorizer.serviceAccount('default', 'default').group('').resource('pods').check('list').allowed()",
  reason: "authorizer.group('apps').resource('deployments').check('get').reason() == ''",
  errored:
    "!authorizer.requestResource.check('get').errored() && authorizer.requestResource.check('get').error() == ''",
  selector: "authorizer.group('').resource('pods').labelSelector('a=b').fieldSelector('c=d').check('list').allowed()",
}

function wrong(kit: Kit, ...matchConditions: object[]): Promise<unknown> {
  const webhook = {
    name: 'a.b.c',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: kit.client('/never'),
    rules: [rule(all, ['configmaps'])],
    matchConditions,
  }
  const body = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'wrong' },
    webhooks: [webhook],
  }
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All'
  return kit.ask('POST', path, { body, headers: {} })
}

export const conditionScenarios: readonly HookScenario[] = [
  {
    name: 'conditions choose which webhooks are called',
    async run(kit) {
      const rules = [rule(all, ['configmaps'])]
      const hooks = Object.entries(conditions).map(([name, expression]) => ({
        ...{ name: `${name}.b.c`, rules, path: `/${name}`, handler: allow, failurePolicy: 'Ignore' },
        matchConditions: [{ name: 'only', expression }],
      }))
      await kit.configure('Validating', hooks)
      await kit.configure('Mutating', [
        {
          ...{ name: 'm.b.c', rules, path: '/m', handler: allow },
          matchConditions: [
            { name: 'one', expression: "request.operation != 'DELETE'" },
            { name: 'example.com/two', expression: "object.data.k != 'v'" },
          ],
        },
      ])
      await kit.ask('POST', `${cms}?fieldManager=me`, { body: configMap('a') })
      await kit.ask('PATCH', `${cms}/a`, { body: { data: { k: 'w' }, metadata: { labels: { x: 'y' } } }, type: merge })
      await kit.ask('PATCH', `${cms}/a?dryRun=All`, { body: { data: { l: 'w' } }, type: merge })
      await kit.ask('DELETE', `${cms}/a`)
      for (const name of [...Object.keys(conditions), 'm']) kit.reviews(`/${name}`)
    },
  },
  {
    name: 'a condition that fails refuses the request, or lets it pass',
    async run(kit) {
      const hook = (name: string, failurePolicy: string, ...expressions: string[]): Webhook => ({
        ...{ name: `${name}.b.c`, rules: [rule(['CREATE'], ['configmaps'])], path: `/${name}`, handler: allow },
        failurePolicy,
        objectSelector: { matchLabels: { case: name } },
        matchConditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })),
      })
      await kit.configure('Validating', [
        hook('fail', 'Fail', 'true', 'object.data.absent == "x"'),
        hook('two', 'Fail', 'object.data.absent == "x"', '1 / size(object.binaryData) > 0', 'true'),
        hook('false', 'Fail', 'object.data.absent == "x"', 'false'),
        hook('ignore', 'Ignore', 'object.data.absent == "x"'),
        hook('overload', 'Fail', 'object.data > 1'),
        hook('equal', 'Fail', 'object.data == 1'),
        hook('index', 'Fail', '[1][int(object.data.k)] == 1'),
        hook('authorizer', 'Fail', "authorizer.group('').resource(' ').check('get').allowed()"),
        hook('account', 'Fail', "authorizer.serviceAccount('A', 'b').group('').resource('a').check('get').allowed()"),
      ])
      await kit.configure('Mutating', [hook('mutating', 'Fail', 'object.data.absent == "x"')])
      for (const name of [
        ...['fail', 'two', 'false', 'ignore', 'overload', 'equal', 'index', 'authorizer', 'account', 'mutating'],
      ]) {
        const metadata = { name: 'a', labels: { case: name } }
        await kit.ask('POST', `${cms}?dryRun=All`, { body: { ...configMap('a'), metadata } })
        kit.reviews(`/${name}`)
      }
      const metadata = { generateName: 'gen-', labels: { case: 'fail' } }
      await kit.ask('POST', `${cms}?dryRun=All`, { body: { ...configMap('a'), metadata } })
    },
  },
  {
    name: 'conditions of webhooks that are refused',
    async run(kit) {
      const one = (expression: string, name = 'a'): object => ({ name, expression })
      await wrong(kit, one('true'))
      await wrong(kit, one(' '), one('true', ''), one('true', '-'), one('true', 'a'), one('true', 'a'))
      await wrong(kit, one('object'), one('1', 'b'), one("'a'", 'c'), one('request', 'd'))
      await wrong(kit, one('self == 1'), one('params == null', 'b'), one('variables.x', 'c'), one('request.x', 'd'))
      await wrong(kit, one(' object.a '), one('request.object == null', 'b'), one('request.uid == ""', 'c'))
      await wrong(kit, one('authorizer.check("a")'), one('authorizer.group(1)', 'b'), one('authorizer', 'c'))
      await wrong(kit, one('request.userInfo.groups.a'), one('request.kind == request.resource', 'b'))
      await wrong(kit, one('"a".matches("(")'), one('namespaceObject.metadata.name == 1', 'b'))
      await wrong(kit, one('namespaceObject.metadata.uid == ""'), one('namespaceObject.metadata.labels.x == ""', 'b'))
      await wrong(kit, ...Array.from({ length: 65 }, (_, i) => one('true', `c${i}`)))
    },
  },
]
