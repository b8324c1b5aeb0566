import { LabelSelector, type View } from '@wherry/client'
import { configMaps, nodes, pods } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
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
