import { LabelSelector, type View } from '@wherry/client'
import { configMaps, nodes, pods } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { isCertainlySelected } from './selected-fields.ts'
import { type SelectionScope, selects } from './selection-scope.ts'

const scope = (view: View, labels = '', namespace?: string): SelectionScope => ({
  view,
  namespace,
  labels: LabelSelector.of(labels),
  filter: LabelSelector.of(labels),
})
const labelled = (labels?: Record<string, string>): object => ({ metadata: { labels } })

describe('a selection', () => {
  it('C14: is of what its view’s fields say of name and namespace, of other fields whatever they are', () => {
    const of = (fields: string, key: string): boolean => selects(scope(pods.within({ fields })), key, {})
    expect([of('metadata.name=x', 'a/x'), of('metadata.name=x', 'a/y')]).toEqual([true, false])
    expect([of('metadata.name!=x', 'a/x'), of('metadata.name!=x', 'a/y')]).toEqual([false, true])
    expect([of('metadata.namespace=a', 'a/x'), of('metadata.namespace=a', 'b/a')]).toEqual([true, false])
    expect([of('metadata.name=x,metadata.namespace!=a', 'a/x'), of('spec.nodeName=n', 'a/x')]).toEqual([false, true])
    const node = scope(nodes.within({ fields: 'metadata.name=n' }))
    expect([selects(node, 'n', {}), selects(node, 'm', {})]).toEqual([true, false])
  })

  it('C14: is of the labels that it asks for; what a projection does not keep counts as if it had them', () => {
    const web = scope(configMaps, 'app=web')
    expect(
      [labelled({ app: 'web' }), labelled({ app: 'api' }), labelled(), {}].map(one => selects(web, 'a/x', one)),
    ).toEqual([true, false, false, false])
    const bare = scope(
      configMaps.project('scope-bare', ({ data }) => data?.n),
      'app=web',
    )
    expect([selects(bare, 'a/x', '1'), selects(bare, 'a/x', labelled({ app: 'api' }))]).toEqual([true, false])
  })
})

describe('what fields select for certain', () => {
  const selected = (fields: string, object: object): boolean =>
    isCertainlySelected(pods.within({ fields }).fields, object)

  it('C10: is what the object has at their paths', () => {
    const pod = { spec: { nodeName: 'n1', hostNetwork: true }, status: { phase: 'Running' } }
    expect(selected('spec.nodeName=n1', pod)).toBe(true)
    expect(selected('spec.nodeName=n2', pod)).toBe(false)
    expect(selected('spec.nodeName!=n2,status.phase=Running', pod)).toBe(true)
    expect(selected('spec.nodeName=n1,status.phase!=Running', pod)).toBe(false)
    expect(selected('spec.hostNetwork=true', pod)).toBe(true)
  })

  it('C10: is nothing that only the server can tell, nor what an object inherits', () => {
    for (const object of [{}, { spec: {} }, { spec: null }, { spec: 'x' }, { spec: { hostNetwork: null } }]) {
      expect(selected('spec.hostNetwork=false', object)).toBe(false)
      expect(selected('spec.hostNetwork!=true', object)).toBe(false)
    }
    expect(selected('spec!=x', { spec: {} })).toBe(false)
    expect(selected('constructor.name=Object', {})).toBe(false)
  })
})
