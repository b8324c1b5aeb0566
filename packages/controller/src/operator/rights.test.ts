import { readFileSync } from 'node:fs'
import { Client } from '@wherry/client'
import {
  configMaps,
  events as eventsResource,
  type ServiceAccount,
  secrets,
  serviceAccounts,
} from '@wherry/client/resources/core'
import { clusterRoleBindings, clusterRoles } from '@wherry/client/resources/rbac'
import { simulate, startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import type { ReconcileContext } from '../controller/context.ts'
import { addFinalizer } from '../objects/finalizers.ts'
import { Operator } from './operator.ts'

/** The verbs that docs/run-in-production.md names, before any remark. */
function documented(what: string): string[] {
  const document = readFileSync(new URL('../../../../docs/run-in-production.md', import.meta.url), 'utf8')
  const row = document.split('\n').find(line => line.startsWith(`| ${what} `)) ?? ''
  const [said = ''] = (row.split('|')[2] ?? '').split(/;|of/)
  return Array.from(said.matchAll(/`(\w+)`/g), ([, verb]) => verb as string)
}

type Done = (context: ReconcileContext<ServiceAccount, 'namespaced'>) => unknown

it.each<[string, string, Done]>([
  [
    '`apply`',
    'configmaps',
    ({ apply, object }) =>
      apply(configMaps, { metadata: { name: 'made' }, data: { x: `${object.metadata?.labels?.x}` } }),
  ],
  ['`read.get`', 'secrets', ({ read }) => read.get(secrets, { name: 's' })],
  ['finalizers', 'serviceaccounts', ({ client, object }) => addFinalizer(client, serviceAccounts, object, 'x.io/y')],
  ['events', 'events', ({ events }) => events.record({ reason: 'Done', message: 'done' })],
])('%s works with the verbs that the documentation names', async (what, plural, body) => {
  const verbs = documented(what)
  const simulation = simulate(7)
  const { clock, random, environment } = simulation
  const server = await startApiServer({
    ...{ isolate: false, sockets: false, clock, random: random.fork('server') },
    authorization: 'RBAC',
    clusterObjects: false,
    tokens: { secret: { name: 'operator', groups: [] } },
  })
  const clientOf = (token: string): Client => {
    const transport = server.transport({ random: random.fork(token) })
    return new Client({ url: server.url, token, transport, environment })
  }
  await simulation.run(async () => {
    await using admin = clientOf(server.token)
    const name = 'operator'
    const rules = [
      { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['list', 'watch'] },
      { apiGroups: [''], resources: [plural], verbs },
    ]
    await admin.create(clusterRoles, { metadata: { name }, rules })
    await admin.create(clusterRoleBindings, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }],
    })
    await using client = clientOf('secret')
    await using operator = new Operator({ name: 'arcade', client })
    let runs = 0
    operator
      .controller('c')
      .for(serviceAccounts)
      .reconcile(async context => {
        await body(context)
        runs += 1
      })
    const key = { name: 'a', namespace: 'default' }
    await admin.create(serviceAccounts, { metadata: { ...key, labels: { x: '1' } } })
    const stop = new AbortController()
    const running = operator.run({ signal: stop.signal, signals: false })
    await operator.settled()
    await admin.patch(serviceAccounts, key, { metadata: { labels: { x: '2' } } })
    await operator.settled()
    stop.abort()
    await running
    expect([verbs.length > 1, runs > 1, environment.errors]).toEqual([true, true, []])
    if (what === 'events') expect((await admin.list(eventsResource)).items).toMatchObject([{ count: 2 }])
  })
  await server.close()
})
