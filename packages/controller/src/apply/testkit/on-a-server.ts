import { Client, isConflict, type KubernetesObject, type Resource } from '@wherry/client'
import { deployments } from '@wherry/client/resources/apps'
import {
  type ConfigMap,
  configMaps,
  namespaces,
  nodes,
  persistentVolumeClaims,
  pods,
  secrets,
  serviceAccounts,
  services,
} from '@wherry/client/resources/core'
import { roles } from '@wherry/client/resources/rbac'
import type { ApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { operating, patient } from '../../operator/testkit/both-servers.ts'
import type { Apply } from '../options.ts'

const namespace = 'applied'
const at = (name: string) => ({ name, namespace })
const sources = configMaps.within({ namespaces: [namespace], labels: { source: 'yes' } })
const labels = { app: 'web' }
const them = { fieldManager: 'them' }

const container = {
  name: 'web',
  image: 'web',
  ports: [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP' }],
  env: [
    { name: 'B', value: '1' },
    { name: 'A', value: '2' },
  ],
}

/** The server adds to it which version of the API it is of. */
const host = { name: 'HOST', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }

/** What an operator of a first week makes: nine objects, of eight kinds. One of them the server stores in another form. */
async function applyAll(apply: Apply, name: string, env: readonly object[] = container.env): Promise<void> {
  const metadata = { name }
  const web = { ...container, env }
  const template = { metadata: { labels }, spec: { containers: [web] } }
  const limited = { ...web, resources: { limits: { cpu: '1000m' } }, env: [...env, host] }
  const desired: readonly (readonly [Resource<KubernetesObject>, object])[] = [
    [configMaps as never, { metadata: { name: `${name}-made` }, data: { a: '1' } }],
    [secrets as never, { metadata, stringData: { a: 'hunter2' } }],
    [serviceAccounts as never, { metadata, automountServiceAccountToken: false }],
    [roles as never, { metadata, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'get'] }] }],
    [services as never, { metadata, spec: { selector: labels, ports: [{ port: 80 }] } }],
    [pods as never, { metadata, spec: { containers: [container] } }],
    [
      persistentVolumeClaims as never,
      { metadata, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    ],
    [deployments as never, { metadata, spec: { selector: { matchLabels: labels }, template } }],
    [
      deployments as never,
      {
        metadata: { name: `${name}-limited` },
        spec: { selector: { matchLabels: labels }, template: { ...template, spec: { containers: [limited] } } },
      },
    ],
  ]
  for (const [view, object] of desired) await apply(view, object as never)
}

/** What `apply` does on any server. */
export function applyOnAServer(server: () => ApiServer): void {
  const start = async (
    body: (client: Client, settled: () => Promise<number>) => Promise<void>,
    env?: readonly object[],
  ): Promise<void> => {
    let patches = 0
    const count = (name: string, more?: Readonly<Record<string, unknown>>): void => {
      if (name === 'rest_client_requests_total' && more?.method === 'PATCH') patches += 1
    }
    const metrics = { count, gauge: () => {}, observe: () => {} }
    await operating(
      server(),
      async ({ operator, client, errors, run }) => {
        operator
          .controller('source')
          .for(sources)
          .owns(deployments.within({ namespaces: [namespace] }))
          .reconcile(async ({ apply, key }) => applyAll(apply, key.name, env))
        run()
        await body(client, async () => {
          await operator.settled(patient)
          const made = patches
          patches = 0
          return made
        })
        expect(errors).toEqual([])
      },
      { environment: { metrics } },
    )
  }

  it('A1, A2: a restart with 225 objects of eight kinds sends nothing for plain ones and one request for a normalised state; what others filled in stays', async () => {
    const { url, ca, token } = server()
    await using hand = new Client({ url, ca, token })
    await hand.create(namespaces, { metadata: { name: namespace } })
    const names = Array.from({ length: 25 }, (_, i) => `s${i}`)
    for (const name of names) await hand.create(configMaps, { metadata: { ...at(name), labels: { source: 'yes' } } })
    await start(async (_, settled) => {
      expect(await settled()).toBeGreaterThanOrEqual(names.length * 9)
    })
    await hand.create(nodes, { metadata: { name: 'node' } }).catch(() => {})
    await hand.patch(persistentVolumeClaims, at('s0'), { spec: { volumeName: 'disk' } }, them)
    await hand.scale.patch(deployments, at('s0'), { spec: { replicas: 5 } })
    for (let restart = 0; restart < 2; restart++) {
      await start(async (_, settled) => expect(await settled()).toBe(1))
    }
    expect((await hand.get(persistentVolumeClaims, at('s0')))?.spec?.volumeName).toBe('disk')
    expect((await hand.get(deployments, at('s0')))?.spec?.replicas).toBe(5)
    // The order of a list alone is a change.
    const turned = [...container.env].reverse()
    await start(async (_, settled) => expect(await settled()).toBe(names.length * 2), turned)
    const [first] = (await hand.get(deployments, at('s0')))?.spec?.template?.spec?.containers ?? []
    expect(first?.env).toEqual(turned)
  })

  it('A10, C18: an object that is made once keeps its value through restarts and lost labels, and is cleaned up for before the object goes', async () => {
    const { url, ca, token } = server()
    await using hand = new Client({ url, ca, token })
    const mine = configMaps.within({ namespaces: ['default'], labels: { once: 'yes' } })
    const seen: string[] = []
    let drawn = 0
    const source = { name: 'once', namespace: 'default' }
    const made = { ...source, name: 'once-password' }
    const again = (change: () => Promise<unknown>): Promise<void> =>
      operating(server(), async ({ operator, run, errors }) => {
        operator
          .controller('once')
          .for(mine)
          .finalizer('example.com/once', async ({ key, client }) => {
            seen.push(`${key.name} ${(await client.get(configMaps, key))?.metadata?.finalizers}`)
          })
          .reconcile(async ({ apply }) => {
            drawn += 1
            const desired = {
              metadata: { name: made.name, labels: { app: 'once' } },
              stringData: { password: `${drawn}` },
            }
            await apply(secrets.within({ labels: { app: 'once' } }), desired, { only: 'create' })
          })
        run()
        await operator.settled(patient)
        await change()
        await operator.settled(patient)
        expect(errors).toEqual([])
      })
    await hand.create(configMaps, { metadata: { ...source, labels: { once: 'yes' } } })
    for (let restart = 0; restart < 3; restart++) {
      await again(() => hand.patch(secrets, made, { metadata: { labels: { app: restart === 1 ? null : 'other' } } }))
    }
    expect(await hand.get(secrets, made)).toMatchObject({ data: { password: btoa('1') } })
    expect(drawn).toBeGreaterThan(2)
    await again(() => hand.delete(configMaps, source))
    expect(seen).toEqual(['once example.com/once'])
    expect(await hand.get(configMaps, source)).toBeUndefined()
  })

  it('A10, A11, C20, C22: fields that are set once stay, and unwanted objects go, also after a restart', async () => {
    const { url, ca, token } = server()
    await using hand = new Client({ url, ca, token })
    const mine = configMaps.within({ namespaces: ['default'], labels: { pruned: 'yes' } })
    const parts = secrets.within({ namespaces: ['default'], labels: { part: 'yes' } })
    const source = { name: 'pruned', namespace: 'default' }
    const again = (title: string): Promise<void> =>
      operating(server(), async ({ operator, run, errors }) => {
        const outcomes: string[] = []
        const reading = (async () => {
          for await (const { outcome } of operator.runs()) outcomes.push(outcome)
        })()
        operator
          .controller('pruned')
          .for(mine)
          .debounce({ debounceMs: 100 })
          .owns(parts)
          .reconcile(async ({ object, apply, prune }) => {
            const { names = '', title = '' } = object.data ?? {}
            for (const name of names.split(' ')) {
              const metadata = { name: `pruned-${name}`, annotations: { title } }
              await apply(parts, { metadata, stringData: { made: title } }, { once: ['data'] })
            }
            await prune(parts)
          })
        run()
        await operator.settled(patient)
        await hand.patch(mine, source, { data: { title, names: title === 'first' ? 'a b' : 'b c' } })
        await operator.settled(patient)
        await operator.close()
        await reading
        expect([errors, new Set(outcomes)]).toEqual([[], new Set(['success'])])
      })
    await hand.create(configMaps, {
      metadata: { ...source, labels: { pruned: 'yes' } },
      data: { names: 'a', title: 'none' },
    })
    const made = async (): Promise<unknown[]> =>
      (await hand.list(parts)).items
        .map(({ metadata, data }) => [metadata?.name, metadata?.annotations?.title, atob(data?.made ?? '')])
        .sort()
    await again('first')
    expect(await made()).toEqual([
      ['pruned-a', 'first', 'none'],
      ['pruned-b', 'first', 'first'],
    ])
    await again('second')
    expect(await made()).toEqual([
      ['pruned-b', 'second', 'first'],
      ['pruned-c', 'second', 'second'],
    ])
  })

  it('A1: of twenty that create one object at once, one does', async () => {
    const { url, ca, token } = server()
    await using hand = new Client({ url, ca, token })
    const object = { metadata: { name: 'raced', namespace: 'default', resourceVersion: '1' } } as ConfigMap
    const racing = Array.from({ length: 20 }, (_, i) =>
      hand.apply(configMaps, { ...object, data: { by: `${i}` } }, { fieldManager: `racer-${i}`, force: true }),
    )
    const outcomes = await Promise.allSettled(racing)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of outcomes) if (one.status === 'rejected') expect(isConflict(one.reason)).toBe(true)
  })
}
