import type { KubeObject } from './object.ts'
import { jsonBytes } from './object.ts'
import type { SeededRandom } from './random.ts'
import { seededRandom } from './random.ts'
import { escapedPerChar, randomText } from './text.ts'
import { NOUNS, QUALITIES } from './words.ts'

/** Which definition the stand-in is as large as. */
export type LargeCrd = 'clusterserviceversions' | 'flowcollectors'

interface Profile {
  readonly group: string
  readonly kind: string
  readonly shortNames: readonly string[]
  readonly scope: 'Namespaced' | 'Cluster'
  readonly version: string
  readonly bytes: number
  readonly depth: number
  readonly keys: number
  readonly distinctKeys: number
  readonly mostKeys: number
  readonly longestDescription: number
}

/** What `measure.ts` counted in the two definitions that public operators ship. */
export const LARGE_CRD_PROFILES: Readonly<Record<LargeCrd, Profile>> = {
  clusterserviceversions: {
    group: 'operators.coreos.com',
    kind: 'ClusterServiceVersion',
    shortNames: ['csv', 'csvs'],
    scope: 'Namespaced',
    version: 'v1alpha1',
    bytes: 340_535,
    depth: 40,
    keys: 5_728,
    distinctKeys: 411,
    mostKeys: 42,
    longestDescription: 1_684,
  },
  flowcollectors: {
    group: 'flows.netobserv.io',
    kind: 'FlowCollector',
    shortNames: [],
    scope: 'Cluster',
    version: 'v1beta2',
    bytes: 222_844,
    depth: 33,
    keys: 4_063,
    distinctKeys: 260,
    mostKeys: 19,
    longestDescription: 1_579,
  },
}

/** Names that are no property of a schema: keywords of OpenAPI, and fields of a definition. */
const OTHER_NAMES = 30
/** Keys of the definition apart from what grows below `spec` and `status`. */
const ABOVE_KEYS = 40
/** Levels above the schema's root: `spec.versions[0].schema.openAPIV3Schema`. */
const ROOT_DEPTH = 5

interface Schema {
  type: string
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  format?: string
  [keyword: string]: unknown
}

/**
 * A definition with a very large schema of our own: as many bytes, levels, keys and different
 * names as the real one, made of random properties and descriptions. Objects of any content fit it (`spec` and
 * `status` preserve unknown fields).
 */
export function largeCrd(like: LargeCrd = 'clusterserviceversions', seed = 1): KubeObject {
  const profile = LARGE_CRD_PROFILES[like]
  const random = seededRandom(seed)
  const root: Schema = {
    type: 'object',
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } },
  }
  const described: Schema[] = []
  grow(root, described, profile, random)
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${like}.${profile.group}`, annotations: { 'controller-gen.kubebuilder.io/version': 'v0.20.0' } },
    spec: {
      group: profile.group,
      names: {
        kind: profile.kind,
        listKind: `${profile.kind}List`,
        plural: like,
        singular: profile.kind.toLowerCase(),
        shortNames: profile.shortNames,
        categories: ['all'],
      },
      scope: profile.scope,
      versions: [
        {
          name: profile.version,
          served: true,
          storage: true,
          additionalPrinterColumns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase' }],
          schema: { openAPIV3Schema: root },
          subresources: { status: {} },
        },
      ],
    },
  }
  describe(described, profile, profile.bytes - jsonBytes(crd), seed)
  return crd
}

/** Hangs properties below `root`: first a spine to the full depth, then at random to the full number of keys. */
function grow(root: Schema, described: Schema[], profile: Profile, random: SeededRandom): void {
  const names = vocabulary(profile.distinctKeys - OTHER_NAMES)
  let missing = profile.keys - ABOVE_KEYS
  let unused = 0
  // Each object that may take more properties, with the level of its own value.
  const open: { properties: Record<string, Schema>; level: number; most: number }[] = []

  const object = (level: number, most: number): Schema => {
    const properties: Record<string, Schema> = {}
    const schema: Schema = { type: 'object', description: '', properties }
    open.push({ properties, level, most })
    described.push(schema)
    missing -= 3
    return schema
  }
  const nameIn = (properties: Record<string, Schema>): string => {
    // Every name is used once before any is used twice, so that the number of different ones comes out.
    for (;;) {
      const name = unused < names.length ? names[unused++] : random.pick(names)
      if (name !== undefined && !(name in properties)) return name
    }
  }

  const leaf = (properties: Record<string, Schema>): void => {
    const schema: Schema = { type: random.pick(['string', 'string', 'integer', 'boolean']), description: '' }
    if (schema.type === 'integer') schema.format = 'int32'
    properties[nameIn(properties)] = schema
    described.push(schema)
    missing -= schema.format === undefined ? 3 : 4
  }

  const properties = root.properties ?? {}
  const top = ROOT_DEPTH + 2
  properties.spec = Object.assign(object(top, profile.mostKeys), { 'x-kubernetes-preserve-unknown-fields': true })
  properties.status = Object.assign(object(top, 8), { 'x-kubernetes-preserve-unknown-fields': true })
  missing -= 4

  // A leaf lies three levels below its object: two to its schema, one to the schema's type.
  let spine = open[0]
  while (spine !== undefined && spine.level + 3 < profile.depth) {
    const left = profile.depth - 3 - spine.level
    const inList = left === 3 || (left > 4 && random.below(3) === 0)
    const child = object(spine.level + (inList ? 3 : 2), 6 + random.below(6))
    spine.properties[nameIn(spine.properties)] = inList ? { type: 'array', items: child } : child
    missing -= inList ? 3 : 1
    spine = open.at(-1)
  }
  if (spine !== undefined) leaf(spine.properties)
  for (const widest = open[0]?.properties ?? {}; Object.keys(widest).length < profile.mostKeys; ) leaf(widest)

  while (missing > 6) {
    const at = random.below(open.length)
    const parent = open[at]
    if (parent === undefined) break
    if (Object.keys(parent.properties).length >= parent.most) {
      if (open.length > 1) open.splice(at, 1)
      else open.push({ ...parent, most: parent.most + 10 })
      continue
    }
    const kind = random.below(10)
    if (kind < 2 && parent.level + 5 <= profile.depth) {
      parent.properties[nameIn(parent.properties)] = object(parent.level + 2, 4 + random.below(8))
      missing -= 1
    } else if (kind < 4 && parent.level + 6 <= profile.depth) {
      parent.properties[nameIn(parent.properties)] = {
        type: 'array',
        items: object(parent.level + 3, 4 + random.below(6)),
      }
      missing -= 3
    } else {
      leaf(parent.properties)
    }
  }
}

/** Spreads `bytes` of text over the descriptions: most are short, one is as long as the longest. */
function describe(described: readonly Schema[], profile: Profile, bytes: number, seed: number): void {
  const text = randomText(seededRandom(seed))
  const random = seededRandom(seed + 1)
  let left = bytes
  for (const [at, schema] of described.entries()) {
    const mean = left / (described.length - at) / escapedPerChar
    const wanted =
      at === 0 ? profile.longestDescription : mean * (at === described.length - 1 ? 1 : 0.3 + 1.4 * random.next())
    schema.description = text.lines(Math.max(1, Math.min(profile.longestDescription, wanted)))
    left -= jsonBytes(schema.description) - 2
  }
}

function vocabulary(count: number): string[] {
  const names: string[] = []
  for (const quality of QUALITIES) {
    for (const noun of NOUNS) {
      if (names.length === count) return names
      names.push(`${quality}${noun.charAt(0).toUpperCase()}${noun.slice(1)}`)
    }
  }
  return names
}
