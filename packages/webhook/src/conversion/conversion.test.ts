import { defineResource, type KubernetesObject, type View } from '@wherry/client'
import { pods } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { type LevelV1, levelConversion, levels, levelsV1alpha1, levelsV1beta1 } from '../testkit/conversion/levels.ts'
import { games } from '../testkit/games.ts'
import { inMemory } from '../testkit/in-memory.ts'
import { Conversion } from './conversion.ts'
import type { AnyConvert } from './converter.ts'
import type { ConversionError } from './errors.ts'

const metadata = { name: 'one', namespace: 'default', uid: 'u', labels: { a: 'b' }, creationTimestamp: 'then' }
const level = (version: string, spec: object, kind = 'Level'): KubernetesObject =>
  ({ apiVersion: `arcade.example.com/${version}`, kind, metadata, spec }) as KubernetesObject

/** The conversion of one version, with this function to the hub. */
const by = (toHub: AnyConvert): Promise<unknown> =>
  new Conversion(levels)
    .version(levelsV1beta1, { toHub: toHub as never, fromHub: () => ({}) })
    .convert(level('v1beta1', {}), 'v1')
    .catch((error: ConversionError) => [error.code, error.path, error.message])

describe('a conversion', () => {
  it('B4: goes through the hub, and keeps metadata', async () => {
    const conversion = levelConversion()
    const old = level('v1alpha1', { size: 3, word: 'w' })
    expect(await conversion.convert(old, 'v1')).toEqual(level('v1', { board: { size: 3 }, word: 'w' }))
    expect(await conversion.convert(old, 'v1beta1')).toEqual(level('v1beta1', { size: '3', word: 'w' }))
    expect(await conversion.convert(level('v1beta1', { size: '3' }), 'v1alpha1')).toEqual(
      level('v1alpha1', { size: 3 }),
    )
    expect(await conversion.convert(old, 'v1alpha1')).toBe(old)
    expect([conversion.name, conversion.versions]).toEqual(['levels.arcade.example.com', ['v1', 'v1alpha1', 'v1beta1']])
  })

  it('B4: takes labels and annotations, and refuses any other change of metadata with its path', async () => {
    const kept = (given: object): Promise<unknown> => by(() => ({ metadata: given }))
    const converted = (more: object): object => ({
      ...{ apiVersion: 'arcade.example.com/v1', kind: 'Level', metadata: { ...metadata, ...more } },
    })
    expect(await kept({ labels: { c: 'd' }, annotations: { e: 'f' } })).toEqual(
      converted({ labels: { c: 'd' }, annotations: { e: 'f' } }),
    )
    expect(await kept({ labels: {} })).toEqual(converted({ labels: {} }))
    expect(await kept({ ...metadata })).toEqual(converted({}))
    const refused = 'a conversion may change labels and annotations, and no other metadata'
    for (const [field, value] of Object.entries({ name: 'two', uid: 'v', finalizers: ['x'], creationTimestamp: 'now' }))
      expect(await kept({ ...metadata, [field]: value })).toEqual([
        ...['FORBIDDEN_CHANGE', `/metadata/${field}`],
        `default/one: its converter changed /metadata/${field}: ${refused}`,
      ])
    expect(await kept({ labels: { a: 1 } })).toMatchObject(['FORBIDDEN_CHANGE', '/metadata/labels/a', {}])
    expect(await kept({ labels: 'a' })).toMatchObject(['FORBIDDEN_CHANGE', '/metadata/labels', {}])
    expect(await by(() => ({ metadata: 'none' }))).toMatchObject(['FORBIDDEN_CHANGE', '/metadata', {}])
    expect(await by(() => ({ kind: 'Game' }))).toMatchObject(['FORBIDDEN_CHANGE', '/kind', {}])
    expect(await by(() => ({ apiVersion: 'v2' }))).toMatchObject(['FORBIDDEN_CHANGE', '/apiVersion', {}])
    expect(await by((object: object) => ({ ...object }))).toEqual(level('v1', {}))
  })

  it.each([
    ['nothing', () => undefined, ['NOT_JSON', '', 'default/one: its converter returned undefined and no object']],
    ['a list', () => [], ['NOT_JSON', '', 'default/one: its converter returned a list and no object']],
    [
      'a value that is no JSON',
      () => ({ spec: { at: new Date(0) } }),
      [
        'NOT_JSON',
        '/spec/at',
        expect.stringContaining('its converter set /spec/at to a value that JSON does not have'),
      ],
    ],
    [
      'a value that is no number',
      () => ({ spec: { at: Number.NaN } }),
      ['NOT_JSON', '/spec/at', expect.stringContaining('NaN')],
    ],
  ])('refuses a converter that returns %s', async (_what, toHub, expected) => {
    expect(await by(toHub)).toEqual(expected)
  })

  it('B4: says what a converter threw by its class, and an UnconvertibleError by its text', async () => {
    const conversion = levelConversion()
    const of = async (object: KubernetesObject, to = 'v1'): Promise<ConversionError> =>
      conversion.convert(object, to).then(
        () => expect.unreachable(),
        error => error as ConversionError,
      )
    const thrown = await of(level('v1beta1', { word: 'throws' }))
    expect(thrown.message).toBe(
      'default/one: its converter from arcade.example.com/v1beta1 to arcade.example.com/v1 threw TypeError; the log of the operator says why',
    )
    expect([thrown.code, thrown.cause]).toEqual(['THROWN', new TypeError('a secret: hunter2')])
    expect((await of(level('v1alpha1', { word: 'bad' }))).message).toBe(
      'default/one: spec.word: bad has no counterpart',
    )
    expect((await of(level('v1', {}), 'v2')).message).toBe(
      'default/one: there is no conversion of "arcade.example.com/v2"; the operator declares v1, v1alpha1, v1beta1 of arcade.example.com',
    )
    expect((await of(level('v0', {}))).message).toContain('there is no conversion of "arcade.example.com/v0"')
    expect((await of(level('v1', {}, 'Game'))).message).toBe('default/one: it is a "Game" and no Level')
    const frozen = level('v1beta1', {})
    await by(() => ({}))
    await conversion.convert(frozen, 'v1')
    expect(Object.isFrozen(frozen.metadata)).toBe(true)
  })

  it('is refused when it is declared wrongly', async () => {
    const functions = { toHub: () => ({}), fromHub: () => ({}) }
    const conversion = new Conversion(levels).version(levelsV1alpha1, functions)
    const other = (change: object): View<LevelV1> => defineResource<LevelV1>({ ...levelsV1beta1.resource, ...change })
    const says = (act: () => unknown): unknown => {
      try {
        return act()
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(says(() => conversion.version(levels, functions))).toContain('takes another version than the hub, got "v1"')
    expect(says(() => conversion.version(levelsV1alpha1, functions))).toContain(
      'v1alpha1 of levels.arcade.example.com has',
    )
    for (const [field, value] of Object.entries({ group: 'b.example.com', kind: 'B', plural: 'bs', namespaced: false }))
      expect(says(() => conversion.version(other({ [field]: value }), functions))).toContain(
        `conversion.version.${field}`,
      )
    expect(says(() => conversion.version(levelsV1beta1, { toHub: () => ({}) } as never))).toContain(
      'conversion.fromHub',
    )
    expect(says(() => new Conversion(pods))).toContain('a resource of a CustomResourceDefinition')
    expect(says(() => new Conversion(levels.metadata()))).toContain('since whole objects are converted')
    expect(says(() => new Conversion(levels.within({ namespaces: ['a'] })))).toContain(
      'all of its objects are converted',
    )
    await inMemory(async ({ webhooks }) => {
      expect(says(() => webhooks.convert(new Conversion(games)))).toContain('no version but the hub')
      expect(says(() => webhooks.convert({} as never))).toContain('new Conversion(hub)')
      webhooks.convert(conversion)
      expect(says(() => webhooks.convert(conversion))).toContain('levels.arcade.example.com has a conversion')
      const service = {
        namespace: 'arcade-system',
        name: 'arcade',
        port: 443,
        path: '/convert/levels.arcade.example.com',
      }
      expect(webhooks.conversions()).toEqual([
        {
          definition: 'levels.arcade.example.com',
          conversion: { strategy: 'Webhook', webhook: { clientConfig: { service }, conversionReviewVersions: ['v1'] } },
        },
      ])
    })
  })
})
