import type { Client, Clock } from '@wherry/client'
import {
  type MutatingWebhookConfiguration,
  mutatingWebhookConfigurations,
} from '@wherry/client/resources/admissionregistration'
import { type Deployment, deployments } from '@wherry/client/resources/apps'
import { type ConfigMap, configMaps, namespaces, nodes, type Pod, pods } from '@wherry/client/resources/core'
import type { Operator, ReconcileContext } from '@wherry/controller'
import { ask } from '@wherry/testing/real/testkit/client'
import { expect, it } from 'vitest'
import { allow, HookServer, patch } from '../differential/hooks/hook-server.ts'
import { MovableClock } from './first-week/movable-clock.ts'
import { onBothServers, RunningOperator, type Stage } from './first-week/stage.ts'

type Context = ReconcileContext<ConfigMap, 'namespaced'>

const labels = { app: 'web' }
const container = { name: 'web', image: 'web:1' }

/** A Deployment of one container. */
const deployment = (name: string, cpu = '500m'): Deployment => ({
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ ...container, resources: { limits: { cpu } } }] },
    },
  },
})

/** Starts an operator that applies `what` for each ConfigMap with the label `source`. */
function start(
  { server, namespace }: Stage,
  what: (context: Context) => Promise<unknown>,
  name = 'arcade',
  clock?: Clock,
): RunningOperator {
  const add = (operator: Operator): void => {
    operator
      .controller('source')
      .for(configMaps.within({ namespaces: [namespace], labels: { source: 'yes' } }))
      .owns(deployments)
      .owns(pods)
      .reconcile(async context => void (await what(context)))
  }
  return new RunningOperator(server, { name }, add, clock)
}

async function createSource({ client, namespace }: Stage, name = 'one'): Promise<void> {
  await client.create(configMaps, { metadata: { name, namespace, labels: { source: 'yes' } } })
}

/** How many writes an operator sends that starts now, until it is at rest. */
async function writesOfRestart(...args: Parameters<typeof start>): Promise<number> {
  await using again = start(...args)
  await again.settled()
  return again.writes
}

onBothServers([], stage => {
  const writers: readonly (readonly [
    string,
    (client: Client, key: { name: string; namespace: string }) => Promise<unknown>,
  ])[] = [
    [
      'by PUT',
      async (client, key) => {
        const there = (await client.get(deployments.full(), key)) as Deployment
        const { template, ...spec } = there.spec as NonNullable<Deployment['spec']>
        const containers = template.spec?.containers.map(one => ({ ...one, image: 'theirs' })) ?? []
        await client.update(deployments.full(), {
          ...there,
          spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } },
        } as never)
      },
    ],
    [
      'by kubectl apply',
      (client, key) => {
        const spec = { template: { spec: { containers: [{ name: 'web', image: 'theirs' }] } } }
        const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec }) }
        const by = { type: 'strategic', fieldManager: 'kubectl-client-side-apply' } as const
        return client.patch(deployments, key, { metadata: { annotations }, spec } as never, by)
      },
    ],
    [
      'by server-side apply of another tool',
      (client, key) => {
        const spec = { template: { spec: { containers: [{ name: 'web', image: 'theirs' }] } } }
        return client.apply(deployments, { metadata: key, spec } as never, { fieldManager: 'tool', force: true })
      },
    ],
  ]

  it.each(writers)('A1, A2, A5: an owned object that was last written %s is as desired again', async (_, write) => {
    const what = ({ apply }: Context) => apply(deployments, deployment('web'))
    const { client, namespace } = stage()
    await createSource(stage())
    {
      await using operator = start(stage(), what)
      await operator.settled()
      await write(client, { name: 'web', namespace })
      await operator.settled()
      const there = await client.get(deployments, { name: 'web', namespace })
      expect(there?.spec?.template.spec?.containers[0]?.image).toBe('web:1')
      expect(operator.errors).toEqual([])
    }
    expect(await writesOfRestart(stage(), what)).toBe(0)
  })

  it('A1, A2: what a webhook adds to a Pod stays, and is at rest', async () => {
    await using hooks = await hooksOf(stage())
    const { client, namespace } = stage()
    const what = ({ apply }: Context) =>
      apply(pods, { metadata: { name: 'web', labels }, spec: { containers: [container] } } as Pod)
    await createSource(stage())
    {
      await using operator = start(stage(), what)
      await operator.settled()
      const { containers = [] } = (await client.get(pods, { name: 'web', namespace }))?.spec ?? {}
      expect(containers.map(({ name }) => name)).toEqual(['web', 'sidecar'])
      const { writes } = operator
      await client.patch(configMaps, { name: 'one', namespace }, { data: { touched: 'yes' } })
      await operator.settled()
      expect([writes, operator.writes]).toEqual([1, 1])
    }
    expect(await writesOfRestart(stage(), what)).toBeLessThanOrEqual(1)
    const { containers = [] } = (await client.get(pods, { name: 'web', namespace }))?.spec ?? {}
    expect(containers.map(({ name }) => name)).toEqual(['web', 'sidecar'])
    expect(hooks.calls('/sidecar').length).toBeGreaterThan(0)
  })

  it('A1, A2: a Pod that a scheduler binds is at rest', async () => {
    const { client, namespace, server } = stage()
    await client.create(nodes, { metadata: { name: 'one' } }).catch(() => {})
    const what = ({ apply }: Context) => apply(pods, { metadata: { name: 'web' }, spec: { containers: [container] } })
    await createSource(stage())
    {
      await using operator = start(stage(), what)
      await operator.settled()
      const target = { kind: 'Node', name: 'one' }
      const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'web' }, target }
      const access = { url: server.url, ca: server.ca ?? '', token: server.token }
      const { status } = await ask(access, 'POST', `/api/v1/namespaces/${namespace}/pods/web/binding`, binding)
      expect(status).toBe(201)
      await operator.settled()
      expect((await client.get(pods, { name: 'web', namespace }))?.spec?.nodeName).toBe('one')
      expect([operator.writes, operator.errors]).toEqual([1, []])
    }
    expect(await writesOfRestart(stage(), what)).toBe(0)
  })

  it('A1, A2: two operators that own one value, and write it as "1" and as "1000m", are at rest', async () => {
    const by = (cpu: string) =>
      [
        stage(),
        ({ apply }: Context) => apply(deployments, deployment('web', cpu), { owner: false }),
        `by-${cpu}`,
      ] as const
    await createSource(stage())
    {
      await using one = start(...by('1'))
      await one.settled()
      await using other = start(...by('1000m'))
      for (const operator of [other, one, other]) await operator.settled()
      expect([one.errors, other.errors]).toEqual([[], []])
      expect(one.writes + other.writes).toBeLessThanOrEqual(4)
    }
    expect(await writesOfRestart(...by('1'))).toBe(0)
    expect(await writesOfRestart(...by('1000m'))).toBeLessThanOrEqual(1)
  })

  it('A3: two operators with managers of their own share a ConfigMap, each with its key', async () => {
    const { client, namespace } = stage()
    const by = (name: string) =>
      [
        stage(),
        ({ apply }: Context) =>
          apply(configMaps, { metadata: { name: 'shared' }, data: { [name]: 'here' } }, { owner: false }),
        name,
      ] as const
    await createSource(stage())
    await using one = start(...by('one'))
    await one.settled()
    await using other = start(...by('other'))
    for (const operator of [one, other, one, other]) await operator.settled()
    expect((await client.get(configMaps, { name: 'shared', namespace }))?.data).toEqual({ one: 'here', other: 'here' })
    expect([one.writes, other.writes, one.errors, other.errors]).toEqual([1, 1, [], []])
  })

  it('A3, A6: two operators with one manager fight over a ConfigMap, later and later, and none says so twice', async () => {
    const { namespace } = stage()
    const by = (text: string) =>
      [
        stage(),
        ({ apply }: Context) =>
          apply(configMaps, { metadata: { name: 'shared' }, data: { text } }, { owner: false, fieldManager: 'both' }),
        text,
      ] as const
    await createSource(stage())
    const clock = new MovableClock()
    await using one = start(...by('one'), clock)
    await using other = start(...by('other'), clock)
    const reported = (operator: RunningOperator) =>
      operator.errors.filter(error => 'code' in error && error.code === 'FLAPPING')
    const all = () => [...reported(one), ...reported(other)]
    const writes = () => one.writes + other.writes
    await expect.poll(() => all().length).toBeGreaterThan(0)
    expect(`${all()[0]}`).toContain(`${namespace}/shared`)
    for (const ms of [2_000, 4_000, 8_000]) {
      const before = writes()
      clock.moveBy(ms)
      await expect.poll(writes).toBeGreaterThan(before)
    }
    expect([reported(one).length, reported(other).length].sort().at(-1)).toBe(1)
  })

  it('A1: a primary object that is applied does not own itself', async () => {
    const { client, namespace } = stage()
    const one = { name: 'one', namespace }
    const what = ({ apply, key }: Context) =>
      apply(configMaps, { metadata: { name: key.name, annotations: { seen: 'yes' } } })
    await createSource(stage())
    await using operator = start(stage(), what)
    await operator.settled()
    const there = await client.get(configMaps, one)
    expect(there?.metadata).toMatchObject({ annotations: { seen: 'yes' }, labels: { source: 'yes' } })
    expect(there?.metadata.ownerReferences).toBeUndefined()
    expect(operator.errors).toEqual([])
  })

  it('A3: a label that is added to the view comes to existing objects, and objects of others are reported and left alone', async () => {
    const { client, namespace } = stage()
    const view = (more: object) => configMaps.within({ labels: { by: 'arcade', ...more } })
    const data = { here: 'yes' }
    await createSource(stage())
    {
      await using operator = start(stage(), ({ apply }) => apply(view({}), { metadata: { name: 'made' }, data }))
      await operator.settled()
    }
    const theirs = { metadata: { name: 'theirs', namespace }, data: { theirs: 'yes' } }
    await client.create(configMaps, theirs)
    let isAll = false
    await using operator = start(stage(), async ({ apply }) => {
      await apply(view({ tier: 'web' }), { metadata: { name: 'made' }, data })
      if (isAll) await apply(view({ tier: 'web' }), { metadata: { name: 'theirs' }, data })
    })
    await operator.settled()
    const made = await client.get(configMaps, { name: 'made', namespace })
    expect(made?.metadata.labels).toEqual({ by: 'arcade', tier: 'web' })
    expect(operator.errors).toEqual([])
    isAll = true
    await client.patch(configMaps, { name: 'one', namespace }, { data: { again: 'yes' } })
    await expect.poll(() => operator.errors.map(error => 'code' in error && error.code)).toContain('NOT_OURS')
    expect((await client.get(configMaps, theirs))?.data).toEqual({ theirs: 'yes' })
  })

  it('A2: a Namespace that is but a name is asked for once', async () => {
    const { client, namespace } = stage()
    const name = `${namespace}-more`
    const what = ({ apply }: Context) => apply(namespaces, { metadata: { name } }, { owner: false })
    await createSource(stage())
    {
      await using operator = start(stage(), what)
      await operator.settled()
      expect([operator.writes, operator.errors]).toEqual([1, []])
    }
    expect(await writesOfRestart(stage(), what)).toBe(0)
    expect(await client.get(namespaces, { name })).toBeDefined()
  })
})

/** A webhook that adds a sidecar to each Pod of a namespace. */
async function hooksOf({ client, namespace }: Stage): Promise<AsyncDisposable & Pick<HookServer, 'calls'>> {
  const hooks = await HookServer.start()
  hooks.on('/sidecar', review => {
    const { containers } = review.request.object.spec as { containers: { name: string }[] }
    const sidecar = { op: 'add', path: '/spec/containers/-', value: { name: 'sidecar', image: 'sidecar' } }
    return containers.some(({ name }) => name === 'sidecar') ? allow(review) : patch(sidecar)(review)
  })
  const configuration: MutatingWebhookConfiguration = {
    metadata: { name: namespace },
    webhooks: [
      {
        name: 'sidecar.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: `${hooks.url}/sidecar`, caBundle: hooks.caBundle },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE', 'UPDATE'] }],
      },
    ],
  }
  await client.create(mutatingWebhookConfigurations, configuration)
  return {
    calls: path => hooks.calls(path),
    async [Symbol.asyncDispose]() {
      await client.delete(mutatingWebhookConfigurations, { name: namespace })
      await hooks.close()
    },
  }
}
