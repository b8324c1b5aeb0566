import type { Client, FromServer, PartialObjectMetadata } from '@wherry/client'
import { type ConfigMap, configMaps, nodes, type Secret, secrets } from '@wherry/client/resources/core'
import { type HashedObject, hashAtIngest, parts, specPart } from '@wherry/hash-compare'
import pino from 'pino'
import { expectTypeOf, it } from 'vitest'
import type { Logger } from '../logging/logger.ts'
import {
  annotationsChanged,
  fieldsChanged,
  generationChanged,
  hashChanged,
  labelsChanged,
  specChanged,
} from '../predicates/changed.ts'
import type { ObjectEvent } from '../predicates/event.ts'
import { and, not, or, type Predicate } from '../predicates/predicate.ts'
import { Channel } from '../sources/channel.ts'
import { type CursorEvent, DynamicViews } from '../sources/dynamic-views.ts'
import { Timer } from '../sources/timer.ts'
import type { Operator } from './operator.ts'
import { desiredConfig, type Game, games, ours } from './testkit/games.ts'

declare const operator: Operator

it('a predicate of fields knows what the view gives', () => {
  operator
    .controller('game')
    .for(games)
    .withPredicates(
      fieldsChanged(
        ({ spec }) => spec.title,
        object => {
          expectTypeOf(object.spec.secret).toEqualTypeOf<string>()
          return object.spec.lives
        },
      ),
    )
    .withPredicates(specChanged)
    // @ts-expect-error there is no such field
    .withPredicates(fieldsChanged(({ spec }) => spec.nothing))
    .owns(configMaps)
    .withPredicates(fieldsChanged(({ data }) => data?.title))
})

it('a reconcile is given what the view gives', () => {
  operator
    .controller('game')
    .for(games)
    .reconcile(async ({ object, key, read, apply, client }) => {
      expectTypeOf(object).toEqualTypeOf<FromServer<Game>>()
      expectTypeOf(object.metadata.uid).toEqualTypeOf<string>()
      expectTypeOf(key).toEqualTypeOf<{ readonly name: string; readonly namespace: string }>()
      expectTypeOf(client).toEqualTypeOf<Client>()
      const found = await read.get(secrets, { name: object.spec.secret })
      expectTypeOf(found).toEqualTypeOf<FromServer<Secret> | undefined>()
      if (!found) return
      const applied = await apply(ours, desiredConfig(object, found))
      expectTypeOf(applied.object).toEqualTypeOf<ConfigMap | undefined>()
      const of = await read.get(secrets, { name: 'a' }, { select: one => one.data?.key })
      expectTypeOf(of).toEqualTypeOf<string | undefined>()
      // @ts-expect-error a metadata view is less than the whole, and nothing to be made so
      await apply(ours.metadata(), desiredConfig(object, found))
    })
    .onGone(({ last, key }) => {
      expectTypeOf(last).toEqualTypeOf<FromServer<Game>>()
      expectTypeOf(key.namespace).toEqualTypeOf<string>()
    })
  operator
    .controller('node')
    .for(nodes.metadata())
    .reconcile(({ object, key }) => {
      expectTypeOf(object).toEqualTypeOf<PartialObjectMetadata>()
      expectTypeOf(key.namespace).toEqualTypeOf<undefined>()
      return { requeueAfterMs: 1000 }
    })
})

const a = operator.controller('a').for(games)
const ofNodes = operator.controller('nodes').for(nodes)

it('a reconcile returns a result, or nothing', () => {
  a.reconcile(() => undefined)
  a.reconcile(async () => ({ requeueAfterMs: 0 }))
  // @ts-expect-error a number is no result
  a.reconcile(() => 7)
  // @ts-expect-error nor is what apply gives
  a.reconcile(({ apply }) => apply(ours, { metadata: { name: 'a' } }))
  // @ts-expect-error a controller is for something first
  operator.controller('a').reconcile(() => {})
})

it('keys are of the primary objects', () => {
  a.watches(configMaps, ({ metadata }) => ({ name: metadata.name, namespace: 'a' }))
  ofNodes.watches(configMaps, () => [{ name: 'a' }])
  a.watches(configMaps, () => undefined)
  // @ts-expect-error a game has a namespace
  a.watches(configMaps, () => ({ name: 'a' }))
  // @ts-expect-error a node has none
  ofNodes.watches(configMaps, () => ({ name: 'a', namespace: 'b' }))
  // @ts-expect-error the value is no key, and is mapped to none
  a.from(new Channel<string>('texts'))
  a.from(new Channel<{ name: string; namespace: string }>('keys'))
  a.from(new Timer({ everyMs: 1000 }))
})

it('C4: predicates are about what was named last, and need old only where there is one', () => {
  const both = and(generationChanged, or(labelsChanged, not(annotationsChanged)))
  expectTypeOf(both).toExtend<Predicate<ObjectEvent<Game>>>()
  a.withPredicates(both, event => event.type === 'add')
  // A predicate next to a ready-made one knows the objects of its source.
  a.withPredicates(and(generationChanged, event => event.object.spec.title !== ''))
  a.withPredicates(
    or(
      labelsChanged,
      not(event => event.object.spec.title === ''),
    ),
  )
  a.owns(configMaps.metadata()).withPredicates(generationChanged)
  a.withPredicates(event => event.object.spec.title !== '')
    .watches(configMaps, () => undefined)
    .withPredicates(event => event.object.data !== undefined)
  const content = parts({ spec: specPart() })
  const hashed = configMaps.project(...hashAtIngest(content))
  expectTypeOf(hashChanged()).toExtend<Predicate<ObjectEvent<HashedObject<'spec'>>>>()
  a.owns(hashed).withPredicates(hashChanged())
  a.owns(configMaps).withPredicates(hashChanged(content))
  // @ts-expect-error whole objects have no hashes of their own
  a.owns(configMaps).withPredicates(hashChanged())

  const registrar = new DynamicViews<ConfigMap>('maps')
  const cursor = a.from(registrar, () => undefined)
  cursor.withPredicates(event => event.type === 'deleted' || event.object.data !== undefined)
  // @ts-expect-error a cursor's events have no old
  cursor.withPredicates(generationChanged)
  // @ts-expect-error nor have they whatever else was made of it
  cursor.withPredicates(both)
  // @ts-expect-error
  cursor.withPredicates(event => event.old !== undefined)
  expectTypeOf<CursorEvent<ConfigMap>>().not.toHaveProperty('old')
})

it('C8: a logger of pino is one', () => {
  expectTypeOf(pino()).toExtend<Logger>()
  expectTypeOf(pino().child({})).toExtend<Logger>()
})
