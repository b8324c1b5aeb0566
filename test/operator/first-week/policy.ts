import {
  defineResource,
  type KubernetesObject,
  type ObjectMeta,
  type PartialObjectMetadata,
  type Resource,
  type View,
} from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { DynamicViews, isConditionTrue, type Operator } from '@wherry/controller'
import type { Conditions } from '@wherry/crd'

/**
 * Says that all objects of a kind have a label. Of kinds in namespaces, it is about those of its own namespace.
 *
 * @group policy.example.com
 * @version v1
 * @plural policies
 */
export interface Policy {
  metadata?: ObjectMeta
  spec: { group: string; version: string; kind: string; label: string }
  status?: {
    /** The names of the objects without the label. */
    violations?: string[]
    conditions?: Conditions
  }
}

export const policies: Resource<Policy, 'namespaced'> = defineResource<Policy>({
  group: 'policy.example.com',
  version: 'v1',
  kind: 'Policy',
  plural: 'policies',
  namespaced: true,
})

/** The kinds that definitions bring, without their schemas: those that are served. */
const definedKinds = customResourceDefinitions.project('policy-kinds', ({ spec, status }) => {
  const { group, names, scope, versions } = spec
  const isServed = isConditionTrue(status?.conditions ?? [], 'Established')
  const served = isServed ? versions.filter(one => one.served).map(({ name }) => name) : []
  return { group, kind: names.kind, plural: names.plural, namespaced: scope === 'Namespaced', versions: served }
})

export function addPolicies(operator: Operator, namespace: string): void {
  const watched = new DynamicViews<PartialObjectMetadata>('policed')
  /** What each Policy wants to be watched, by its name. */
  const wanted = new Map<string, View<PartialObjectMetadata>>()
  const watch = () => watched.replace(new Map([...wanted.values()].map(view => [view.key, view])).values())
  operator
    .controller('policy')
    .for(policies.within({ namespaces: [namespace] }))
    .caches(definedKinds)
    .from(watched, () => undefined) // what a reconcile lists makes it run
    .reconcile(async ({ object: policy, key, read, status, client }) => {
      const { spec } = policy
      const kinds = await read.list(definedKinds)
      const defined = kinds.find(one => one.group === spec.group && one.kind === spec.kind)
      const { group, version, kind } = spec
      const resource = defined ?? (isOwn(group) ? await client.discover({ group, version, kind }) : undefined)
      if (resource === undefined || (defined !== undefined && !defined.versions.includes(version))) {
        wanted.delete(key.name)
        await watch()
        await status({ conditions: [{ type: 'Watching', status: 'False', reason: 'NotInstalled' }] })
        return
      }
      const { plural, namespaced } = resource
      const whole = defineResource<KubernetesObject>({ group, version, kind, plural, namespaced })
      const view = (namespaced ? whole.within({ namespaces: [namespace] }) : whole).metadata()
      wanted.set(key.name, view)
      await watch()
      const objects = await read.list(view)
      const without = objects.filter(({ metadata }) => metadata.labels?.[spec.label] === undefined)
      await status({
        violations: without.map(({ metadata }) => metadata.name ?? '').sort(),
        conditions: [{ type: 'Watching', status: 'True', reason: 'Watched' }],
      })
    })
    .onGone(async ({ key }) => {
      wanted.delete(key.name)
      await watch()
    })
}

/** Whether a group is Kubernetes' own: no definition brings it, so it is there from the start or never. */
const isOwn = (group: string): boolean => !group.includes('.') || group.endsWith('.k8s.io')
