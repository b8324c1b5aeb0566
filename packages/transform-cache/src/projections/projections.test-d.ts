/** Compiled, never run: what projections give, and what must not compile. */
import type { PartialBrand, View, Whole } from '@wherry/client'
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
declare function write<T extends object>(view: View<T>, object: Whole<NoInfer<T>>): void

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
