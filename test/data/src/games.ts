import { timestamp } from './config-maps.ts'
import type { KubeObject } from './object.ts'
import { seededRandom, seededUid } from './random.ts'
import { NAMESPACES, NOUNS } from './words.ts'

const spec = {
  type: 'object',
  required: ['title'],
  properties: {
    title: { type: 'string', maxLength: 200 },
    players: { type: 'integer', minimum: 1, default: 1 },
    secret: { type: 'string' },
    paused: { type: 'boolean' },
  },
}

const status = {
  type: 'object',
  properties: {
    phase: { type: 'string', enum: ['Pending', 'Running', 'Over'] },
    players: { type: 'integer' },
    observedGeneration: { type: 'integer', format: 'int64' },
  },
}

function version(name: string, options: { readonly storage: boolean; readonly deprecated: boolean }): object {
  return {
    name,
    served: true,
    storage: options.storage,
    ...(options.deprecated ? { deprecated: true } : {}),
    schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.players', statusReplicasPath: '.status.players' },
    },
    additionalPrinterColumns: [
      { name: 'Title', type: 'string', jsonPath: '.spec.title' },
      { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    ],
  }
}

/**
 * The definition of `games.arcade.example.com`, namespaced, short name `gm`: three served
 * versions alike in all but name (`v1alpha1` deprecated, `v1beta1`, and `v1`, which is stored), with status and scale.
 */
export function gamesCrd(): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'games.arcade.example.com' },
    spec: {
      group: 'arcade.example.com',
      scope: 'Namespaced',
      names: {
        kind: 'Game',
        listKind: 'GameList',
        plural: 'games',
        singular: 'game',
        shortNames: ['gm'],
        categories: ['all'],
      },
      conversion: { strategy: 'None' },
      versions: [
        version('v1alpha1', { storage: false, deprecated: true }),
        version('v1beta1', { storage: false, deprecated: false }),
        version('v1', { storage: true, deprecated: false }),
      ],
    },
  }
}

/** Generates Games of version v1, without status. */
export function* games(options: { readonly count: number; readonly seed?: number | undefined }): Generator<KubeObject> {
  const random = seededRandom(options.seed ?? 1)
  for (let i = 0; i < options.count; i++) {
    const noun = random.pick(NOUNS)
    yield {
      apiVersion: 'arcade.example.com/v1',
      kind: 'Game',
      metadata: {
        name: `${noun}-${(Math.imul(i, 0x9e3779b1) >>> 0).toString(36)}`,
        namespace: random.pick(NAMESPACES),
        uid: seededUid(random),
        creationTimestamp: timestamp(1_767_225_600 + random.below(20_000_000)),
        labels: { genre: random.pick(['puzzle', 'racing', 'quiz']) },
      },
      spec: { title: `The ${noun}`, players: 1 + random.below(8), secret: `${noun}-secret`, paused: false },
    }
  }
}
