import { defineResource } from '@wherry/client'
import type { MutatingWebhook } from '@wherry/client/resources/admissionregistration'
import { configMaps, namespaces, nodes, pods } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { type ForOptions, NamedWebhook } from '../declaration/builder.ts'
import type { WebhookDefinition } from '../declaration/definition.ts'
import type { Operation } from '../handler/request.ts'
import { games } from '../testkit/games.ts'
import { inMemory } from '../testkit/in-memory.ts'
import { type WebhookPlace, webhookConfigurations } from './configurations.ts'

const spared = {
  matchExpressions: [
    { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['arcade-system', 'kube-system'] },
  ],
}

describe('the configurations', () => {
  it('are those of the declared webhooks, by name, without a bundle', () =>
    inMemory(async ({ webhooks }) => {
      const labels = 'a=1,b notin (x,y),c,!d'
      webhooks
        .webhook('z')
        .for(games.within({ labels }), { when: 'object.spec.players > 2' })
        .validate(() => {})
      webhooks
        .webhook('a')
        .for(nodes, { operations: ['CREATE', 'DELETE'] })
        .timeoutSeconds(9)
        .validate(() => {})
      webhooks
        .webhook('m')
        .for(configMaps, { updates: 'all' })
        .reinvocation('IfNeeded')
        .mutate(() => {})
      const clientConfig = (path: string): object => ({
        service: { namespace: 'arcade-system', name: 'arcade', port: 443, path },
      })
      const common = { admissionReviewVersions: ['v1'], matchPolicy: 'Equivalent', sideEffects: 'None' }
      const rule = { apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], scope: 'Namespaced' }
      const conditions = [
        {
          name: 'changed',
          expression:
            "request.operation != 'UPDATE' || object.metadata.?labels != oldObject.metadata.?labels || " +
            "object.exists(key, !(key in ['metadata', 'status']) && (!(key in oldObject) || object[key] != oldObject[key])) || " +
            "oldObject.exists(key, !(key in ['metadata', 'status']) && !(key in object))",
        },
        { name: 'when', expression: 'object.spec.players > 2' },
      ]
      expect(webhooks.configurations()).toEqual([
        {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'MutatingWebhookConfiguration',
          metadata: { name: 'arcade' },
          webhooks: [
            {
              ...{ ...common, name: 'm.arcade.webhooks.wherry.dev', clientConfig: clientConfig('/mutate/m') },
              ...{ failurePolicy: 'Ignore', timeoutSeconds: 5, namespaceSelector: spared },
              rules: [{ ...rule, apiGroups: [''], resources: ['configmaps'] }],
              reinvocationPolicy: 'IfNeeded',
            },
          ],
        },
        {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingWebhookConfiguration',
          metadata: { name: 'arcade' },
          webhooks: [
            {
              ...{ ...common, name: 'a.arcade.webhooks.wherry.dev', clientConfig: clientConfig('/validate/a') },
              ...{ failurePolicy: 'Ignore', timeoutSeconds: 9 },
              rules: [
                { ...rule, apiGroups: [''], operations: ['CREATE', 'DELETE'], resources: ['nodes'], scope: 'Cluster' },
              ],
            },
            {
              ...{ ...common, name: 'z.arcade.webhooks.wherry.dev', clientConfig: clientConfig('/validate/z') },
              ...{ failurePolicy: 'Fail', timeoutSeconds: 5, namespaceSelector: spared },
              objectSelector: {
                matchExpressions: [
                  { key: 'd', operator: 'DoesNotExist' },
                  { key: 'a', operator: 'In', values: ['1'] },
                  { key: 'b', operator: 'NotIn', values: ['x', 'y'] },
                  { key: 'c', operator: 'Exists' },
                ],
              },
              rules: [{ ...rule, apiGroups: ['arcade.example.com'], resources: ['games'] }],
              matchConditions: conditions,
            },
          ],
        },
      ])
      expect(JSON.stringify(webhooks.configurations())).not.toContain('caBundle')
    }))

  it('leave kube-system and the own namespace out, unless a view names them', () =>
    inMemory(async ({ webhooks }) => {
      webhooks
        .webhook('a')
        .for(games.within({ namespaces: ['kube-system', 'b'] }))
        .validate(() => {})
      webhooks
        .webhook('b')
        .forStatus(games)
        .validate(() => {})
      const [{ webhooks: [a, b] = [] } = {}] = webhooks.configurations()
      expect(a?.namespaceSelector?.matchExpressions).toEqual([
        { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['b', 'kube-system'] },
      ])
      expect([b?.namespaceSelector, b?.matchConditions, b?.rules?.[0]?.resources]).toEqual([
        spared,
        undefined,
        ['games/status'],
      ])
    }))
})

describe('a configuration', () => {
  const place: WebhookPlace = { service: { namespace: 'kube-system', name: 'games', port: 8443 } }
  const declared = (
    declare: (named: NamedWebhook) => { validate(handler: () => void): unknown },
    name = 'a',
  ): WebhookDefinition => {
    const named = new NamedWebhook(name)
    declare(named).validate(() => {})
    return named.definition(new Set())
  }
  const one = (declare: Parameters<typeof declared>[0], to = place): MutatingWebhook | undefined =>
    webhookConfigurations('arcade', [declared(declare)], to)[0]?.webhooks?.[0]

  it('is there only if there is a webhook of its kind', () => {
    const kinds = (...definitions: WebhookDefinition[]): string[] =>
      webhookConfigurations('arcade', definitions, place).map(({ kind }) => kind)
    const validating = declared(named => named.for(games))
    expect(kinds()).toEqual([])
    expect(kinds(validating)).toEqual(['ValidatingWebhookConfiguration'])
    expect(kinds({ ...validating, type: 'mutating' })).toEqual(['MutatingWebhookConfiguration'])
  })

  it('has its webhooks in the order of their names, whatever that of their declarations', () => {
    const definitions = ['b', 'c', 'a'].map(name => declared(named => named.for(games), name))
    const [{ webhooks = [] } = {}] = webhookConfigurations('arcade', definitions, place)
    expect(webhooks.map(({ name }) => name.slice(0, 2))).toEqual(['a.', 'b.', 'c.'])
  })

  it('names the Service with its port, or the address in its place', () => {
    const service = { namespace: 'kube-system', name: 'games', port: 8443, path: '/validate/a' }
    expect(one(named => named.for(games))?.clientConfig).toEqual({ service })
    const direct = { ...place, origin: 'https://10.0.0.1:9443' }
    expect(one(named => named.for(games), direct)?.clientConfig).toEqual({ url: 'https://10.0.0.1:9443/validate/a' })
  })

  it('selects namespaces by their names, also for Namespaces themselves, and not for other objects of the cluster', () => {
    const key = 'kubernetes.io/metadata.name'
    const selector = (operator: string, values: string[]): object => ({ matchExpressions: [{ key, operator, values }] })
    expect(one(named => named.for(namespaces))?.namespaceSelector).toEqual(selector('NotIn', ['kube-system']))
    const within = games.within({ namespaces: ['a'] })
    expect(one(named => named.for(within))?.namespaceSelector).toEqual(selector('In', ['a']))
    const others = [
      ['', 'nodes'],
      ['example.com', 'namespaces'],
    ] as const
    for (const [group, plural] of others) {
      const other = defineResource({ group, version: 'v1', kind: 'A', plural, namespaced: false })
      expect(one(named => named.for(other))?.namespaceSelector).toBeUndefined()
    }
  })

  it('has conditions only for updates, unless all of them are reviewed, and for the asked operations', () => {
    const names = (options: ForOptions<Operation>): string[] | undefined =>
      one(named => named.for(games, options))?.matchConditions?.map(({ name }) => name)
    expect(names({})).toEqual(['changed'])
    expect(names({ operations: ['CREATE'] })).toBeUndefined()
    expect(names({ operations: ['DELETE', 'UPDATE'] })).toEqual(['changed'])
    expect(names({ updates: 'all' })).toBeUndefined()
    expect(names({ updates: 'all', when: 'true' })).toEqual(['when'])
    expect(names({ when: 'true' })).toEqual(['changed', 'when'])
  })

  it('reviews the scale by its own path', () => {
    const rule = { resources: ['games/scale'], operations: ['UPDATE'], scope: 'Namespaced' }
    expect(one(named => named.forScale(games))?.rules?.[0]).toMatchObject(rule)
  })
})

describe('at the start', () => {
  it('a warning names each webhook that could keep the operator’s own Pods from starting', () =>
    inMemory(async ({ webhooks, operator, simulation }) => {
      const own = pods.within({ namespaces: ['arcade-system'] })
      webhooks
        .webhook('own')
        .for(own)
        .failurePolicy('Fail')
        .validate(() => {})
      webhooks
        .webhook('open')
        .for(own)
        .failurePolicy('Ignore')
        .validate(() => {})
      webhooks
        .webhook('others')
        .for(pods)
        .failurePolicy('Fail')
        .validate(() => {})
      webhooks
        .webhook('nodes')
        .for(nodes)
        .failurePolicy('Fail')
        .validate(() => {})
      webhooks
        .webhook('games')
        .for(games)
        .failurePolicy('Fail')
        .validate(() => {})
      const running = operator.run({ signals: false }).catch(error => error)
      await simulation.advance(1)
      await operator.close()
      expect(await running).toMatchObject({ option: 'certificates.current().cert' })
      const { warnings } = simulation.environment
      expect(warnings.map(({ context }) => context?.webhook)).toEqual(['own', 'nodes'])
      expect(warnings[0]?.message).toContain('while no replica serves, no Pod of the operator can start')
    }))
})
