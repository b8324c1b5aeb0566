import type { deployments } from './resources/apps.ts'
import type { horizontalPodAutoscalers as oldAutoscalers } from './resources/autoscaling/v1.ts'
import type { horizontalPodAutoscalers } from './resources/autoscaling.ts'
import { type configMaps, type Event, events, namespaces, type ServicePort } from './resources/core.ts'
import type { Resource } from './views/resource.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function holds<_Condition extends true>(): void {}
type ObjectOf<R> = R extends Resource<infer T> ? T : never
type ScopeOf<R> = R extends Resource<infer _T, infer S> ? S : never

// A resource knows its scope and the type of its objects.
holds<Equal<ScopeOf<typeof configMaps>, 'namespaced'>>()
holds<Equal<ScopeOf<typeof namespaces>, 'cluster'>>()
holds<Equal<ObjectOf<typeof configMaps>['data'], Record<string, string> | undefined>>()
holds<Equal<NonNullable<ObjectOf<typeof deployments>['spec']>['replicas'], number | undefined>>()
namespaces.within({ labels: { team: 'a' } })
// @ts-expect-error: there is no namespace to look into
namespaces.within({ namespaces: ['a'] })

// Times are strings, and null where the server says null; ports have numbers or names.
holds<Equal<Event['lastTimestamp'], string | null | undefined>>()
holds<Equal<ServicePort['targetPort'], string | number | undefined>>()
events.project('last', event => ({ at: event.lastTimestamp ?? event.eventTime }))

// The preferred version has the plain name, another one its own path.
holds<
  Equal<'metrics' extends keyof NonNullable<ObjectOf<typeof horizontalPodAutoscalers>['spec']> ? true : false, true>
>()
holds<Equal<ObjectOf<typeof oldAutoscalers>['spec']['targetCPUUtilizationPercentage'], number | undefined>>()
