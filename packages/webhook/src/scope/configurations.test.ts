import { configMaps, nodes, pods } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { games } from '../testkit/games.ts'
import { inMemory } from '../testkit/in-memory.ts'

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
        { name: 'changed', expression: expect.stringContaining("request.operation != 'UPDATE' || ") },
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
