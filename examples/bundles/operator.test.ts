import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, defineResource, type KubernetesObject } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { deployments } from '@wherry/client/resources/apps'
import { configMaps, events, namespaces, pods, serviceAccounts } from '@wherry/client/resources/core'
import { clusterRoles } from '@wherry/client/resources/rbac'
import { conditionOf, Operator } from '@wherry/controller'
import { type ApiServer, type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { declarePlatformOperators } from './operator.ts'
import { platformOperators } from './platform-operator.ts'
import { auditedBundles } from './testkit/audit.ts'
import { archiveOf, bundleOf } from './testkit/bundles.ts'
import { TestSource } from './testkit/source.ts'

/** Each question takes processor time from the server that it waits for: on a busy machine most of it, if it comes more often. */
const within = { interval: 150 }
const until = (check: () => unknown): Promise<unknown> => vi.waitFor(check, within)
const hasReal = await realApiServerAvailable('bundles on a real API server')

describe.each([
  ['an embedded', () => startApiServer({ isolate: true })],
  ...(hasReal ? [['a real', () => startApiServer({ kind: 'real' })] as const] : []),
] as const)('bundles on %s API server', (which, startServer) => {
  let server: ApiServer
  let client: Client

  beforeAll(async () => {
    server = await startServer()
    await using own = new Client({ url: server.url, ca: server.ca, token: server.token })
    const file = join(import.meta.dirname, 'deploy/crd/platformoperators.bundles.example.com.yaml')
    await own.create(customResourceDefinitions, parse(readFileSync(file, 'utf8')))
    await until(() => own.list(platformOperators))
  })

  afterAll(() => server?.close())

  // One for each test: a client tends its connections every 30 s, and a test that lasts longer would leave such a timer behind.
  beforeEach(() => {
    client = new Client({ url: server.url, ca: server.ca, token: server.token })
  })

  afterEach(() => client.close())

  let narrowStreams = 0
  const streams = (operator: Operator): number => narrowStreams + operator.report().watches

  /** Runs the operator while `body` plays its users. */
  async function running(
    body: (parts: { source: TestSource; operator: Operator }) => Promise<void>,
    source = new TestSource(),
    pollMs = 500,
  ): Promise<void> {
    const gauge = (name: string, value: number): void => {
      if (name === 'wherry_narrow_streams') narrowStreams = value
    }
    const environment = { metrics: { gauge, count() {}, observe() {} } }
    const own = new Client({ url: server.url, ca: server.ca, token: server.token, environment })
    const operator = new Operator({ name: 'bundles', client: own, narrow: { idleMs: 100 } })
    declarePlatformOperators(operator, { source, pollMs })
    const ran = operator.run({ signals: false })
    try {
      await body({ source, operator })
    } finally {
      await operator.close()
      await ran
      await own.close()
    }
  }

  const install = (name: string, namespace = `${name}-home`): Promise<unknown> =>
    client.create(platformOperators, { metadata: { name }, spec: { package: name, namespace } })
  const statusOf = async (name: string) => (await client.get(platformOperators, { name }))?.status
  const reasonOf = async (name: string, type = 'Installed') => {
    const condition = conditionOf((await statusOf(name))?.conditions, type)
    return `${condition?.status} ${condition?.reason}`
  }
  const isActive = async (namespace: string) =>
    (await client.get(namespaces, { name: namespace }))?.status?.phase === 'Active'
  const remove = async (name: string): Promise<void> => {
    await client.delete(platformOperators, { name })
    await until(async () => expect(await client.get(platformOperators, { name })).toBeUndefined())
  }
  const available = { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', lastUpdateTime: null }
  const becomesAvailable = (name: string): Promise<unknown> =>
    client.status.patch(deployments, { name, namespace: `${name}-home` }, {
      status: { conditions: [available] },
    } as never)

  it('a bundle is installed, repaired, upgraded, and pruned with all that it made and nothing else', () =>
    running(async ({ source, operator }) => {
      source.release(
        'chess',
        await bundleOf({
          name: 'chess',
          defines: 'Board',
          others: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hours' }, data: { monday: '10' } }],
        }),
      )
      await install('chess')
      await until(async () => expect(await reasonOf('chess')).toBe('True Installed'))
      expect(await reasonOf('chess', 'Healthy')).toBe('False NotAvailable')
      expect((await statusOf('chess'))?.problems).toMatchObject([{ object: 'Deployment chess', reason: 'Pending' }])
      await becomesAvailable('chess')
      await until(async () => expect(await reasonOf('chess', 'Healthy')).toBe('True AllAvailable'))

      const hours = { name: 'hours', namespace: 'chess-home' }
      await client.patch(configMaps, hours, { data: { monday: 'closed', tuesday: '12' } })
      await until(async () =>
        expect((await client.get(configMaps, hours))?.data).toEqual({ monday: '10', tuesday: '12' }),
      )
      source.fault = 'down'
      await client.delete(configMaps, hours)
      await until(async () => expect((await client.get(configMaps, hours))?.data).toEqual({ monday: '10' }))
      source.fault = undefined

      source.release('chess', await bundleOf({ name: 'chess', version: '1.1.0', defines: 'Board' }), '1.1.0')
      await until(async () => expect((await statusOf('chess'))?.bundle?.version).toBe('1.1.0'))
      await until(async () => expect(await client.get(configMaps, hours)).toBeUndefined())
      expect(source.fetched).toBe(2)

      const made = (await statusOf('chess'))?.made ?? []
      expect(made.length).toBe(8)
      await client.delete(platformOperators, { name: 'chess' })
      await until(async () => expect(await client.get(platformOperators, { name: 'chess' })).toBeUndefined())
      await until(async () =>
        expect(await client.get(customResourceDefinitions, { name: 'boards.widgets.example.com' })).toBeUndefined(),
      )
      expect(
        (await client.list(clusterRoles)).items.filter(({ metadata }) => metadata?.name?.startsWith('chess')),
      ).toEqual([])
      await until(async () =>
        expect((await client.get(namespaces, { name: 'chess-home' }))?.status?.phase ?? 'gone').not.toBe('Active'),
      )
      // That of the PlatformOperators.
      await until(() => expect(streams(operator)).toBe(1))
    }))

  it('a namespace that holds another’s objects stays, with these, and the status and an event say so', () =>
    running(async ({ source }) => {
      for (const name of ['host', 'guest']) source.release(name, await bundleOf({ name, defines: `${name}Kind` }))
      await install('host', 'shared')
      await until(async () => expect(await reasonOf('host')).toBe('True Installed'))
      await install('guest', 'shared')
      await until(async () => expect(await reasonOf('guest')).toBe('True Installed'))
      expect((await client.get(namespaces, { name: 'shared' }))?.metadata?.ownerReferences).toBeUndefined()

      // Another namespace is named: the one before is pruned, unless it holds anything else.
      await client.patch(platformOperators, { name: 'host' }, { spec: { namespace: 'host-home' } })
      await until(async () => expect(await reasonOf('host', 'Pruned')).toBe('False NamespaceKept'))
      const reported = conditionOf((await statusOf('host'))?.conditions, 'Pruned')
      expect(reported?.message).toMatch(/^the namespace shared stays, since it holds \w+ guest/)
      expect(await client.get(deployments, { name: 'host', namespace: 'shared' })).toBeUndefined()
      expect(await client.get(deployments, { name: 'guest', namespace: 'shared' })).toBeDefined()
      await until(async () => expect(await isActive('shared')).toBe(true))

      const mine = { name: 'mine', namespace: 'host-home' }
      await client.create(configMaps, { metadata: mine })
      await remove('host')
      expect(await client.get(configMaps, mine)).toBeDefined()
      expect(await isActive('host-home')).toBe(true)
      await until(async () => {
        const { items } = await client.list(events)
        const messages = items.filter(({ reason }) => reason === 'NamespaceKept').map(({ message }) => message)
        expect(messages).toContain('the namespace host-home stays, since it holds ConfigMap mine')
      })
      // It is nobody’s from now on, though it was made for the one that went.
      await remove('guest')
      expect(await isActive('shared')).toBe(true)
      expect((await client.get(namespaces, { name: 'shared' }))?.metadata?.annotations).toBeUndefined()
    }))

  it('a definition that has users’ objects stays with these, whoever deletes the PlatformOperator how, and comes back with it', () =>
    running(async ({ source }) => {
      const boards = defineResource<KubernetesObject>({
        ...{ group: 'widgets.example.com', version: 'v1', kind: 'Keep', plural: 'keeps', namespaced: true },
      })
      const definition = { name: 'keeps.widgets.example.com' }
      const mine = { name: 'mine', namespace: 'default' }
      const found = async () => (await client.get(customResourceDefinitions, definition))?.metadata
      source.release('keeper', await bundleOf({ name: 'keeper', defines: 'Keep' }))
      source.release('thief', await bundleOf({ name: 'thief', defines: 'Keep' }))
      await install('keeper')
      await until(async () => expect(await reasonOf('keeper')).toBe('True Installed'))
      expect((await found())?.ownerReferences).toBeUndefined()
      await client.create(boards, { metadata: mine })

      // Another one has the same definition, which is the first one's while that is there.
      await install('thief')
      await until(async () => expect(await reasonOf('thief')).toBe('False Refused'))
      expect((await statusOf('thief'))?.problems).toMatchObject([
        { reason: 'Taken', message: 'it was made for the PlatformOperator keeper, which has it still' },
      ])
      await remove('thief')
      const { uid } = (await found()) ?? {}

      await client.delete(platformOperators, { name: 'keeper' }, { propagationPolicy: 'Foreground' })
      await until(async () => expect(await client.get(platformOperators, { name: 'keeper' })).toBeUndefined())
      expect(await client.get(boards, mine)).toBeDefined()
      expect(await found()).toMatchObject({ uid, annotations: { 'bundles.example.com/made-for': '' } })
      expect((await found())?.deletionTimestamp).toBeUndefined()
      await until(async () => {
        const { items } = await client.list(events)
        const messages = items.filter(({ reason }) => reason === 'DefinitionKept').map(({ message }) => message)
        expect(messages).toEqual([`the definition ${definition.name} stays, since there is Keep default/mine`])
      })

      await until(async () => expect(await client.get(namespaces, { name: 'keeper-home' })).toBeUndefined())
      await install('keeper')
      await until(async () => expect(await reasonOf('keeper')).toBe('True Installed'))
      expect((await found())?.uid).toBe(uid)

      // An upgrade to a bundle without the definition leaves it, too, and says so.
      source.release('keeper', await bundleOf({ name: 'keeper', version: '1.1.0' }), '1.1.0')
      await until(async () => expect(await reasonOf('keeper', 'Pruned')).toBe('False DefinitionKept'))
      expect((await statusOf('keeper'))?.bundle?.version).toBe('1.1.0')
      source.release('keeper', await bundleOf({ name: 'keeper', version: '1.2.0', defines: 'Keep' }), '1.2.0')
      await until(async () => expect((await statusOf('keeper'))?.bundle?.version).toBe('1.2.0'))
      await client.delete(boards, mine)
      await remove('keeper')
      await until(async () => expect(await found()).toBeUndefined())
    }))

  it('kinds of other bundles are found on the server, and one that is missing holds up nothing else', () =>
    running(async ({ source }) => {
      const kindOf = (kind: string, plural: string, namespaced: boolean) =>
        defineResource<KubernetesObject>({ group: 'monitoring.example.com', version: 'v1', kind, plural, namespaced })
      const [monitors, rules] = [kindOf('Monitor', 'monitors', true), kindOf('Rule', 'rules', false)]
      const define = async ({ resource: { group, kind, plural, namespaced } }: typeof monitors | typeof rules) => {
        const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
        await client.create(customResourceDefinitions, {
          metadata: { name: `${plural}.${group}` },
          spec: {
            ...{ group, scope: namespaced ? 'Namespaced' : 'Cluster' },
            names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
            versions: [{ name: 'v1', served: true, storage: true, schema }],
          },
        })
      }
      const of = (kind: string) => ({
        apiVersion: 'monitoring.example.com/v1',
        kind,
        metadata: { name: 'chess-speed' },
      })
      const first = { apiVersion: 'widgets.example.com/v1', kind: 'Opening', metadata: { name: 'first' } }
      const others = [of('Monitor'), of('Rule'), first]
      source.release('speed', await bundleOf({ name: 'speed', defines: 'Opening', others }))
      await install('speed')
      await until(async () => expect((await statusOf('speed'))?.problems).toHaveLength(2))
      expect((await statusOf('speed'))?.problems).toMatchObject([
        { object: 'Monitor chess-speed', reason: 'UnsupportedKind' },
        { object: 'Rule chess-speed', reason: 'UnsupportedKind' },
      ])
      expect(await reasonOf('speed')).toBe('False Refused')
      expect(await client.get(deployments, { name: 'speed', namespace: 'speed-home' })).toBeDefined()
      const openings = defineResource<KubernetesObject>({
        ...{ group: 'widgets.example.com', version: 'v1', kind: 'Opening', plural: 'openings', namespaced: true },
      })
      expect(await client.get(openings, { name: 'first', namespace: 'speed-home' })).toBeDefined()

      await define(monitors)
      await define(rules)
      await until(async () => expect(await reasonOf('speed')).toBe('True Installed'))
      const monitor = { name: 'chess-speed', namespace: 'speed-home' }
      const { uid } = (await client.get(monitors, monitor))?.metadata ?? {}
      await client.delete(monitors, monitor)
      await until(async () => expect((await client.get(monitors, monitor))?.metadata?.uid ?? uid).not.toBe(uid))
      expect((await client.get(rules, { name: 'chess-speed' }))?.metadata?.namespace).toBeUndefined()

      // The definition of rules goes before what was made of it.
      await client.delete(customResourceDefinitions, { name: 'rules.monitoring.example.com' })
      await remove('speed')
      await until(async () => expect(await client.get(monitors, monitor)).toBeUndefined())
      await until(async () =>
        expect(await client.get(customResourceDefinitions, { name: 'openings.widgets.example.com' })).toBeUndefined(),
      )
      await client.delete(customResourceDefinitions, { name: 'monitors.monitoring.example.com' })
    }))

  it('a hanging catalog delays no repair, of any of them', () =>
    running(async ({ source }) => {
      const names = ['black', 'white', 'grey']
      const others = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hours' }, data: { monday: '10' } }]
      for (const name of names) source.release(name, await bundleOf({ name, others }))
      for (const name of names) await install(name)
      for (const name of names) await until(async () => expect(await reasonOf(name, 'UpToDate')).toBe('True Newest'))
      source.fault = 'hangs'
      await until(() => expect(source.waiting).toBe(3))
      const hours = (name: string) => ({ name: 'hours', namespace: `${name}-home` })
      for (const name of names) await client.delete(configMaps, hours(name))
      for (const name of names) {
        await until(async () => expect((await client.get(configMaps, hours(name)))?.data).toEqual({ monday: '10' }))
        await becomesAvailable(name)
        await until(async () => expect(await reasonOf(name, 'Healthy')).toBe('True AllAvailable'))
      }
      for (const name of names) await remove(name)
    }))

  it('after a restart with a hanging catalog it says how the installed release is, and goes on when the catalog answers', async () => {
    const others = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hours' }, data: { monday: '10' } }]
    const hours = { name: 'hours', namespace: 'late-home' }
    const archive = await bundleOf({ name: 'late', others })
    await running(async ({ source }) => {
      source.release('late', archive)
      await install('late')
      await until(async () => expect(await reasonOf('late', 'Healthy')).toBe('False NotAvailable'))
      await until(async () => expect(await reasonOf('late')).toBe('True Installed'))
    })
    await client.delete(configMaps, hours)
    await running(async ({ source }) => {
      await until(() => expect(source.waiting).toBe(1))
      await becomesAvailable('late')
      await until(async () => expect(await reasonOf('late', 'Healthy')).toBe('True AllAvailable'))
      expect(await reasonOf('late')).toBe('True Installed')
    }, new TestSource('hangs'))
    await running(async ({ source }) => {
      await until(async () => expect(await reasonOf('late', 'UpToDate')).toBe('Unknown CatalogUnavailable'))
      expect(await reasonOf('late')).toBe('True Installed')
      source.release('late', archive)
      source.fault = undefined
      await until(async () => expect((await client.get(configMaps, hours))?.data).toEqual({ monday: '10' }))
      await until(async () => expect(await reasonOf('late', 'UpToDate')).toBe('True Newest'))
      await remove('late')
    }, new TestSource('down'))
  })

  it('an upgrade that is blocked ends no care of the installed release, also after a restart', async () => {
    const others = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hours' }, data: { monday: '10' } }]
    const hours = { name: 'hours', namespace: 'stuck-home' }
    const [first, second] = await Promise.all([
      bundleOf({ name: 'stuck', others }),
      bundleOf({ name: 'stuck', version: '1.1.0', webhooks: 1 }),
    ])
    const isBlocked = async () => {
      await until(async () => expect(await reasonOf('stuck', 'UpToDate')).toBe('False NeedsWebhooks'))
      const { conditions, bundle } = (await statusOf('stuck')) ?? {}
      expect(conditionOf(conditions, 'UpToDate')?.message).toMatch(/^stuck\.v1\.1\.0: .* has webhooks/)
      expect(conditionOf(conditions, 'Installed')).toMatchObject({ status: 'True', message: 'stuck.v1.0.0' })
      expect(bundle?.version).toBe('1.0.0')
    }
    const isRepaired = async () => {
      await client.patch(configMaps, hours, { data: { monday: 'closed' } })
      await until(async () => expect((await client.get(configMaps, hours))?.data).toEqual({ monday: '10' }))
    }
    const releaseBoth = (source: TestSource): void => {
      source.release('stuck', first)
      source.release('stuck', second, '1.1.0')
    }
    await running(async ({ source }) => {
      source.release('stuck', first)
      await install('stuck')
      await until(async () => expect(await reasonOf('stuck')).toBe('True Installed'))
      releaseBoth(source)
      await isBlocked()
      await isRepaired()
      await becomesAvailable('stuck')
      await until(async () => expect(await reasonOf('stuck', 'Healthy')).toBe('True AllAvailable'))
    })
    await running(async ({ source }) => {
      releaseBoth(source)
      await isRepaired()
      await client.delete(deployments, { name: 'stuck', namespace: 'stuck-home' })
      await until(async () => expect(await reasonOf('stuck', 'Healthy')).toBe('False NotAvailable'))
      await isBlocked()
      source.release('stuck', await bundleOf({ name: 'stuck', version: '1.2.0' }), '1.2.0')
      await until(async () => expect((await statusOf('stuck'))?.bundle?.version).toBe('1.2.0'))
      await until(async () => expect(await reasonOf('stuck', 'UpToDate')).toBe('True Newest'))
      await remove('stuck')
    })
  })

  it('what was there already is nobody’s to prune', () =>
    running(async ({ source }) => {
      await client.create(namespaces, { metadata: { name: 'own-home' } })
      const account = { name: 'own-operator', namespace: 'own-home' }
      await client.create(serviceAccounts, { metadata: account })
      source.release('own', await bundleOf({ name: 'own' }))
      await install('own')
      await until(async () => expect(await reasonOf('own')).toBe('False Refused'))
      expect((await statusOf('own'))?.problems).toMatchObject([
        { object: 'ServiceAccount own-operator', reason: 'Taken' },
      ])
      await client.delete(platformOperators, { name: 'own' })
      await until(async () => expect(await client.get(platformOperators, { name: 'own' })).toBeUndefined())
      expect((await client.get(serviceAccounts, account))?.metadata?.deletionTimestamp).toBeUndefined()

      await install('own')
      await until(async () => expect(await reasonOf('own')).toBe('False Refused'))
      await client.delete(serviceAccounts, account)
      await until(async () => expect(await reasonOf('own')).toBe('True Installed'))
      await client.delete(platformOperators, { name: 'own' })
      await until(async () => expect(await client.get(platformOperators, { name: 'own' })).toBeUndefined())
      expect((await client.get(namespaces, { name: 'own-home' }))?.metadata?.deletionTimestamp).toBeUndefined()
      await until(async () => expect(await client.get(serviceAccounts, account)).toBeUndefined())
    }))

  it('what comes after a definition waits until that is served', () =>
    running(async ({ source }) => {
      const [group, version] = ['widgets.example.com', { name: 'v1', served: true, storage: true }]
      const schema = { openAPIV3Schema: { type: 'object' } }
      const names = { kind: 'Table', listKind: 'TableList', plural: 'planks', singular: 'plank' }
      await client.create(customResourceDefinitions, {
        metadata: { name: `planks.${group}` },
        spec: { group, scope: 'Namespaced', names, versions: [{ ...version, schema }] },
      })
      await until(async () => {
        const { status } = (await client.get(customResourceDefinitions, { name: `planks.${group}` })) ?? {}
        expect(conditionOf(status?.conditions as never, 'Established')?.status).toBe('True')
      })
      // Its kind is another definition's.
      source.release('tables', await bundleOf({ name: 'tables', defines: 'Table' }))
      await install('tables')
      await until(async () => expect(await reasonOf('tables')).toBe('False WaitsForDefinitions'))
      expect(await client.get(deployments, { name: 'tables', namespace: 'tables-home' })).toBeUndefined()
      await client.delete(customResourceDefinitions, { name: `planks.${group}` })
      await until(async () => expect(await reasonOf('tables')).toBe('True Installed'))
      await client.delete(platformOperators, { name: 'tables' })
      await until(async () => expect(await client.get(platformOperators, { name: 'tables' })).toBeUndefined())
    }))

  it('a bundle that is refused says why, and nothing of it is applied', () =>
    running(async ({ source }) => {
      source.release('evil', await archiveOf([['manifests/../../x', '']]))
      await install('evil')
      await until(async () => expect(await reasonOf('evil')).toBe('False UnsafePath'))
      // It is not fetched again with each poll.
      const { asked } = source
      await until(() => expect(source.asked).toBeGreaterThan(asked + 3))
      expect(source.fetched).toBe(1)
      expect(await client.get(namespaces, { name: 'evil-home' })).toBeUndefined()
      expect((await client.get(platformOperators, { name: 'evil' }))?.metadata?.finalizers).toBeUndefined()
      await until(async () => {
        const { items } = await client.list(events)
        const about = items.filter(({ involvedObject: { name } }) => name === 'evil')
        // Nor reported again: the server would have counted it.
        expect(about).toMatchObject([{ reason: 'UnsafePath', count: 1 }])
      })
      await client.delete(platformOperators, { name: 'evil' })
    }))

  it('another package takes the place of the one before, and is no upgrade of it', () =>
    running(async ({ source }) => {
      const next = vi.spyOn(source, 'next')
      const asked = (): string[] => [
        ...new Set(next.mock.calls.map(([of, installed]) => `${of.package} ${installed?.name}`)),
      ]
      for (const name of ['first', 'second']) source.release(name, await bundleOf({ name }))
      await install('first')
      await until(async () => expect(await reasonOf('first')).toBe('True Installed'))
      await until(() => expect(asked()).toContain('first first.v1.0.0'))
      await client.patch(platformOperators, { name: 'first' }, { spec: { package: 'second' } })
      await until(async () => expect((await statusOf('first'))?.bundle?.name).toBe('second.v1.0.0'))
      await until(async () =>
        expect(await client.get(deployments, { name: 'first', namespace: 'first-home' })).toBeUndefined(),
      )
      await until(() =>
        expect(asked()).toEqual(['first undefined', 'first first.v1.0.0', 'second undefined', 'second second.v1.0.0']),
      )
      await client.delete(platformOperators, { name: 'first' })
      await until(async () => expect(await client.get(platformOperators, { name: 'first' })).toBeUndefined())
    }))

  // Once is enough: it is the same program on either.
  if (which !== 'an embedded') return
  it('a namespace stays if the operator may not list what it holds', () =>
    running(async ({ source }) => {
      source.release('blind', await bundleOf({ name: 'blind' }))
      await install('blind')
      await until(async () => expect(await reasonOf('blind')).toBe('True Installed'))
      const match = { verb: 'list', resource: 'replicasets.apps' } as const
      const fault = await (server as EmbeddedApiServer).faults.add({ match, effect: { kind: 'status', code: 403 } })
      await remove('blind')
      expect(await fault.hits()).toBeGreaterThan(0)
      await fault.remove()
      expect(await isActive('blind-home')).toBe(true)
    }))

  it('69 bundles, with the reasons of a published audit: each gets its reason, and no stream is left when they go', () => {
    // So many polls in each tenth of a second would be all that this process does.
    const pollMs = 10_000
    return running(
      async ({ source, operator }) => {
        const all = await auditedBundles()
        for (const { name, archive } of all) source.release(name, archive)
        await Promise.all(all.map(({ name }) => install(name)))
        const reasons = async (): Promise<Record<string, number>> => {
          const { items } = await client.list(platformOperators)
          const conditions = items.map(({ status }) => conditionOf(status?.conditions, 'Installed'))
          for (const { message = '' } of conditions.flatMap(one => one ?? [])) {
            expect(Buffer.byteLength(message)).toBeLessThanOrEqual(256)
          }
          const grouped = Map.groupBy(conditions, one => one?.reason ?? 'none')
          return Object.fromEntries([...grouped].map(([reason, { length }]) => [reason, length]))
        }
        const audit = { Installed: 25, UnsupportedInstallMode: 26, NeedsWebhooks: 14, Refused: 4 }
        await until(async () => expect(await reasons()).toEqual(audit))
        expect((await client.list(pods)).items).toEqual([])
        for (const { name } of all) await client.delete(platformOperators, { name })
        await until(async () => expect((await client.list(platformOperators)).items).toEqual([]))
        await until(() => expect(streams(operator)).toBe(1))
      },
      new TestSource(),
      pollMs,
    )
  })
})
