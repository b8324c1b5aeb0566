import { defineResource, type KubernetesObject, type View } from '@wherry/client'
import { describe, expect, it } from 'vitest'
import { NamedWebhook } from '../declaration/builder.ts'
import type { FailurePolicy } from '../declaration/definition.ts'
import { blocksOwnPods } from './own-pods.ts'

const own = 'arcade-system'

/** Why a webhook would keep the operator's Pods from starting. */
function blocks(view: View, policy: FailurePolicy = 'Fail', part?: 'status' | 'scale'): string | undefined {
  const named = new NamedWebhook('limits')
  if (part === 'scale')
    named
      .forScale(view)
      .failurePolicy(policy)
      .validate(() => {})
  else (part === 'status' ? named.forStatus(view) : named.for(view)).failurePolicy(policy).validate(() => {})
  return blocksOwnPods(named.definition(new Set()), own)
}

const resource = (name: string, namespaced: boolean): View => {
  const [group = '', plural = ''] = name.split('/')
  return defineResource<KubernetesObject>({ group, version: 'v1', kind: 'A', plural, namespaced })
}

describe('a webhook that fails closed', () => {
  it.each([
    ...['/pods', '/configmaps', '/secrets', '/serviceaccounts', '/persistentvolumeclaims', '/services', '/endpoints'],
    ...['apps/deployments', 'apps/replicasets', 'apps/statefulsets', 'apps/daemonsets', 'batch/jobs'],
    'discovery.k8s.io/endpointslices',
  ])('for %s of the namespace of the operator could keep its own Pods from starting', name => {
    const view = resource(name, true)
    const [, plural] = name.split('/')
    expect(blocks(view.within({ namespaces: ['a', own] }))).toBe(
      `the webhook limits has failurePolicy Fail and reviews ${plural} that the operator's own Pods need: while no ` +
        'replica serves, no Pod of the operator can start. Leave its namespace out, or use failurePolicy Ignore',
    )
    const ours = view.within({ namespaces: [own] })
    expect(blocks(ours, 'Fail', 'status')).toContain('the webhook limits has')
    expect(blocks(ours, 'Fail', 'scale')).toBeUndefined()
    expect(blocks(ours, 'Ignore')).toBeUndefined()
    expect(blocks(view.within({ namespaces: ['a'] }))).toBeUndefined()
    expect(blocks(view)).toBeUndefined()
  })

  it.each(['/nodes', '/persistentvolumes'])('for %s could, too, in whatever namespace the operator is', name => {
    expect(blocks(resource(name, false))).toContain(`reviews ${name.slice(1)} that the operator's own Pods need`)
    expect(blocks(resource(name, false), 'Ignore')).toBeUndefined()
  })

  it('for anything else can not', () => {
    expect(blocks(resource('example.com/nodes', false))).toBeUndefined()
    expect(blocks(resource('example.com/pods', true).within({ namespaces: [own] }))).toBeUndefined()
    expect(blocks(resource('/pods', false))).toBeUndefined()
    expect(blocks(resource('/nodes', true).within({ namespaces: [own] }))).toBeUndefined()
  })
})
