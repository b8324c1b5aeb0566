import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '@wherry/client/resources/apiextensions'
import { expect, it } from 'vitest'
import type { StructuralSchema } from '../schema/json-schema.ts'
import { definitionChanges } from './definition-changes.ts'

const two = { a: { type: 'string' }, b: { type: 'string' } }
const one = { a: { type: 'string' } }
const scores = { a: { type: 'object', additionalProperties: { type: 'string' } } }

function version(
  name: string,
  more: Partial<CustomResourceDefinitionVersion> = {},
  properties: Record<string, StructuralSchema> = two,
): CustomResourceDefinitionVersion {
  return { name, served: true, storage: false, schema: { openAPIV3Schema: { type: 'object', properties } }, ...more }
}

const v1 = version('v1', { storage: true })
const v1beta1 = version('v1beta1')
const names = { kind: 'Game', plural: 'games', shortNames: ['gm'] }

function definition(
  versions: CustomResourceDefinitionVersion[],
  more: Partial<CustomResourceDefinitionSpec> = {},
  storedVersions?: string[],
): CustomResourceDefinition {
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions, ...more }
  return { metadata: { name: 'games.example.com' }, spec, ...(storedVersions && { status: { storedVersions } }) }
}

const scale = { specReplicasPath: '.a', statusReplicasPath: '.b' }
const settings = { deprecated: true, subresources: { status: {}, scale }, selectableFields: [{ jsonPath: '.a' }] }
const webhook = { conversion: { strategy: 'Webhook' } }
const plain = definition([v1])

type Row = readonly [
  title: string,
  old: CustomResourceDefinition,
  next: CustomResourceDefinition,
  ...changes: (readonly [version: string, path: string, change: string, verdict: string])[],
]

const objects = 'breaks stored objects'
const clients = 'breaks clients'

const rows: readonly Row[] = [
  ['nothing', plain, definition([v1], { names: { ...names, listKind: 'GameList', singular: 'game' } })],
  ['the scope', plain, definition([v1], { scope: 'Cluster' }), ['', 'spec.scope', 'Cluster, was Namespaced', objects]],
  [
    'the kind',
    plain,
    definition([v1], { names: { ...names, kind: 'Play', listKind: 'GameList', singular: 'game' } }),
    ['', 'spec.names.kind', 'Play, was Game', objects],
  ],
  [
    'a short name',
    plain,
    definition([v1], { names: { ...names, shortNames: [] } }),
    ['', 'spec.names.shortNames', 'without gm', clients],
  ],
  ['a new version', plain, definition([v1, v1beta1]), ['v1beta1', '', 'version added', 'safe']],
  ['a version without objects', definition([v1, v1beta1]), plain, ['v1beta1', '', 'version removed', clients]],
  [
    'a version that nobody is served',
    definition([v1, version('v0', { served: false })]),
    plain,
    ['v0', '', 'version removed', 'safe'],
  ],
  [
    'a version with objects',
    definition([v1, v1beta1], {}, ['v1beta1', 'v1']),
    plain,
    ['v1beta1', '', 'version removed that is in storedVersions', objects],
  ],
  [
    'a field of the stored version',
    plain,
    definition([version('v1', { storage: true }, one)]),
    ['v1', 'b', 'field removed', objects],
  ],
  [
    'a field of the stored version, in a manifest that has an empty status',
    definition([v1], {}, []),
    definition([version('v1', { storage: true }, one)]),
    ['v1', 'b', 'field removed', objects],
  ],
  [
    'a new version that has fields in place of a map',
    definition([version('v1', { storage: true }, scores)]),
    definition([version('v1', { storage: true }, scores), version('v2', {}, { a: { type: 'object' } })]),
    ['v2', '', 'version added', 'safe'],
    ['v2', '', 'needs a conversion: it differs from the storage version v1 in a{}', clients],
  ],
  [
    'a field of a version without objects',
    definition([v1, v1beta1]),
    definition([v1, version('v1beta1', {}, one)]),
    ['v1beta1', 'b', 'field removed', clients],
    ['v1beta1', '', 'needs a conversion: it differs from the storage version v1 in b', clients],
  ],
  [
    'a field of a version that was stored once',
    definition([v1, v1beta1], {}, ['v1beta1', 'v1']),
    definition([v1, version('v1beta1', {}, one)]),
    ['v1beta1', 'b', 'field removed', objects],
    ['v1beta1', '', 'needs a conversion: it differs from the storage version v1 in b', clients],
  ],
  [
    'the storage version',
    definition([v1]),
    definition([version('v1'), version('v2', { storage: true })]),
    ['v2', '', 'version added', 'safe'],
    ['v2', '', 'storage version, was v1', 'safe'],
  ],
  [
    'the storage version, which has fewer fields',
    definition([v1]),
    definition([version('v1'), version('v2', { storage: true }, one)]),
    ['v2', '', 'version added', 'safe'],
    ['v1', '', 'needs a conversion: it differs from the storage version v2 in b', clients],
    ['v2', '', 'storage version, was v1', 'safe'],
    ['v2', 'b', 'field removed (against v1, without conversion)', objects],
  ],
  [
    'the same with a webhook',
    definition([v1], webhook),
    definition([version('v1'), version('v2', { storage: true }, one)], webhook),
    ['v2', '', 'version added', 'safe'],
    ['v1', '', 'needs a conversion: it differs from the storage version v2 in b', 'safe'],
    ['v2', '', 'storage version, was v1', 'safe'],
  ],
  ['the webhook', definition([v1], webhook), plain, ['', 'spec.conversion.strategy', 'None, was Webhook', objects]],
  [
    'a webhook that nothing needs',
    plain,
    definition([v1], webhook),
    ['', 'spec.conversion.strategy', 'Webhook, was None', 'safe'],
  ],
  [
    'a webhook',
    definition([v1, v1beta1]),
    definition([v1, v1beta1], webhook),
    ['', 'spec.conversion.strategy', 'Webhook, was None', clients],
  ],
  [
    'serving',
    definition([v1, v1beta1]),
    definition([v1, version('v1beta1', { served: false })]),
    ['v1beta1', '', 'no longer served', clients],
  ],
  [
    'the status',
    plain,
    definition([{ ...v1, subresources: { status: {} } }]),
    ['v1', 'status', 'written on its own', clients],
  ],
  [
    'the status, back',
    definition([{ ...v1, subresources: { status: {} } }]),
    plain,
    ['v1', 'status', 'no longer written on its own', clients],
  ],
  [
    'a selectable field',
    definition([{ ...v1, selectableFields: [{ jsonPath: '.a' }] }]),
    plain,
    ['v1', 'a', 'no longer selectable', clients],
  ],
  [
    'the scale',
    definition([{ ...v1, subresources: { scale: { specReplicasPath: '.a', statusReplicasPath: '.b' } } }]),
    plain,
    ['v1', '', 'scale removed', clients],
  ],
  ['a scale that is added', plain, definition([{ ...v1, subresources: { scale } }]), ['v1', '', 'scale added', 'safe']],
  [
    'the paths of the scale',
    definition([{ ...v1, subresources: { scale } }]),
    definition([{ ...v1, subresources: { scale: { ...scale, statusReplicasPath: '.a' } } }]),
    ['v1', '', 'scale has other paths', clients],
  ],
  [
    'nothing in a version with all settings',
    definition([{ ...v1, ...settings }]),
    definition([{ ...v1, ...structuredClone(settings) }]),
  ],
  [
    'serving, back',
    definition([v1, version('v1beta1', { served: false })]),
    definition([v1, v1beta1]),
    ['v1beta1', '', 'served', 'safe'],
  ],
  [
    'nothing in a version that is not served',
    definition([v1, version('v1beta1', { served: false })]),
    definition([v1, version('v1beta1', { served: false })]),
  ],
  [
    'a version that is deprecated now',
    definition([v1, v1beta1]),
    definition([v1, { ...v1beta1, deprecated: true }]),
    ['v1beta1', '', 'deprecated', 'safe'],
  ],
  ['a version that is no longer deprecated', definition([{ ...v1, deprecated: true }]), plain],
  ['a selectable field that is added', plain, definition([{ ...v1, selectableFields: [{ jsonPath: '.a' }] }])],
  [
    'one of two selectable fields',
    definition([{ ...v1, selectableFields: [{ jsonPath: '.a' }, { jsonPath: '.spec.b' }] }]),
    definition([{ ...v1, selectableFields: [{ jsonPath: '.a' }] }]),
    ['v1', 'spec.b', 'no longer selectable', clients],
  ],
]

it.for(rows)('reports what a change of %s does', ([, old, next, ...expected]) => {
  const found = definitionChanges(old, next)
  expect(found.map(one => [one.version ?? '', one.path, one.change, one.verdict])).toEqual(expected)
  // A change that is not safe says what to do.
  expect(found.filter(one => one.verdict !== 'safe' && one.advice === '')).toEqual([])
})
