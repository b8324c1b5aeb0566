/** Compiled, never run: what projections give, and what must not compile. */

import {
  defineResource,
  type FullObject,
  type KubernetesObject,
  type ObjectMeta,
  type PartialBrand,
  type View,
} from '@wherry/client'
import { type ConfigMap, configMaps, pods } from '@wherry/client/resources/core'
import { compose } from './compose.ts'
import { dropData } from './drop-data.ts'
import { type Identity, keyOnly } from './key-only.ts'
import { omit } from './omit.ts'
import { pick } from './pick.ts'
import { stripLastApplied } from './strip.ts'

type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Same<A, B>): void => {}
declare function read<C>(view: View<C>): C
declare function write<T extends object>(view: View<T>, object: FullObject<NoInfer<T>>): void

const picked = read(pods.project(pick('status.phase', 'metadata.labels', 'spec.containers.image')))
same<typeof picked.status, { phase?: string | undefined } | undefined>(true)
const image: string | undefined = picked.spec?.containers?.[0]?.image
const labels: Record<string, string> | undefined = picked.metadata?.labels
const name: string | undefined = picked.metadata?.name
void [image, labels, name]
// @ts-expect-error not picked
picked.spec?.nodeName
// @ts-expect-error not picked
picked.metadata?.annotations
// @ts-expect-error a projection is never written back
write(pods, picked)

const byKeys = read(pods.project(pick(['metadata', 'annotations'])))
const annotations: Record<string, string> | undefined = byKeys.metadata?.annotations
void annotations

// A map may have the key or not.
const value = read(configMaps.project(pick('data.colour', ['metadata', 'labels', 'example.com/owner'], 'metadata.uid')))
same<typeof value.data, { colour?: string | undefined } | undefined>(true)
const owner: string | undefined = value.metadata?.labels?.['example.com/owner']
void owner
// @ts-expect-error not picked
value.data?.size

// A path that the type does not have is refused.
// @ts-expect-error the case is wrong
pods.project(pick('spec.nodename'))
// @ts-expect-error one of them is not there
pods.project(pick('spec.nodeName', 'spec.hostnames'))
// @ts-expect-error not at the top
pods.project(pick('labels'))
// @ts-expect-error not of the items of a list
pods.project(pick('spec.containers.picture'))
// @ts-expect-error nothing is below a text
pods.project(pick('metadata.name.first'))
// @ts-expect-error nor as a list of keys
pods.project(pick(['metadata', 'anotations', 'example.com/owner']))
// @ts-expect-error nor after another projection
pods.project(compose(stripLastApplied, pick('spec.nodename')))
pods.project(pick('metadata.ownerReferences.uid', 'spec.containers.resources.limits.cpu', 'metadata.labels.any'))

// Where the type is not known, any path is taken.
const game = { group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games', namespaced: true } as const
defineResource<KubernetesObject>(game).project(pick('spec.lives', 'status'))
defineResource<KubernetesObject & { spec?: unknown; status?: Record<string, unknown> }>(game).project(
  pick('spec.lives.left', 'status.phase.since'),
)
defineResource<KubernetesObject & Record<string, unknown>>(game).project(pick('spec.lives', 'status'))
interface Either extends KubernetesObject {
  spec?: { by: 'name'; name: string } | { by: 'uid'; uid: string } | undefined
}
defineResource<Either>(game).project(pick('spec.by', 'spec.uid'))
// @ts-expect-error neither has it
defineResource<Either>(game).project(pick('spec.key'))
declare const anyPath: string
pods.project(pick(anyPath))

// An interface of one's own has neither apiVersion nor kind, as the scaffold and the tutorial write it, or one of them.
interface Played {
  metadata: ObjectMeta
  spec: { lives: number; board: { size: number }[] }
  status?: { phase: string }
}
const played = read(defineResource<Played>(game).project(pick('spec.lives', 'spec.board.size', 'status')))
same<typeof played.spec, { lives: number } & { board: { size: number }[] }>(true)
same<typeof played.status, { phase: string } | undefined>(true)
same<typeof played.metadata.uid, string | undefined>(true)
const whole = read(defineResource<Played>(game).project(pick('spec')))
same<typeof whole.spec, Played['spec']>(true)
// @ts-expect-error not picked
whole.status
// @ts-expect-error there is no such path
defineResource<Played>(game).project(pick('spec.life'))
const ofKind = read(defineResource<Played & { kind: 'Game' }>(game).project(pick('spec.lives')))
same<typeof ofKind.spec, { lives: number }>(true)
same<typeof ofKind.kind, 'Game'>(true)
const ofSome = read(defineResource<{ metadata?: { name: string }; spec: string }>(game).project(pick('spec')))
same<typeof ofSome.spec, string>(true)
// A path that one of several types has, as a text and as keys, and through a list.
const either = read(defineResource<Either>(game).project(pick('spec.uid')))
same<NonNullable<typeof either.spec>['uid'], string | undefined>(true)
const byKey = read(defineResource<Either>(game).project(pick(['spec', 'name'])))
same<NonNullable<typeof byKey.spec>['name'], string | undefined>(true)
interface Boards extends KubernetesObject {
  spec: { boards: ({ wood: { kind: 'oak' } } | { size: number })[] }
}
const boards = read(defineResource<Boards>(game).project(pick('spec.boards.wood.kind', 'spec.boards.size')))
same<NonNullable<(typeof boards.spec.boards)[number]['wood']>['kind'], 'oak'>(true)

const lean = read(configMaps.project(dropData))
void lean.metadata?.name
// @ts-expect-error no data
lean.data
const without = read(pods.project(omit('status', 'spec.containers.env')))
void without.spec?.containers
// @ts-expect-error left out
without.status
const withoutKey = read(pods.project(omit(['status'], ['metadata', 'labels'])))
void withoutKey.metadata
// @ts-expect-error left out
withoutKey.status

same<Identity & PartialBrand, ReturnType<typeof read<Identity & PartialBrand>>>(true)
const key = read(configMaps.project(keyOnly))
same<typeof key, Identity & PartialBrand>(true)

const stripped = read(configMaps.project(stripLastApplied))
same<typeof stripped, ConfigMap & PartialBrand>(true)
// @ts-expect-error an update would delete the annotation
write(configMaps, stripped)

const both = read(pods.project(compose(stripLastApplied, pick('status.phase'))))
const phase: string | undefined = both.status?.phase
void phase
// @ts-expect-error left out by the second
both.spec
