import { timestamp } from './config-maps.ts'
import { managedFieldsOf } from './managed-fields.ts'
import type { KubeObject } from './object.ts'
import { jsonBytes } from './object.ts'
import type { SeededRandom } from './random.ts'
import { seededRandom, seededUid } from './random.ts'
import type { RandomText } from './text.ts'
import { escapedPerChar, randomText } from './text.ts'
import { APPS, NOUNS, QUALITIES } from './words.ts'

/** What {@link clusterServiceVersions} generates. */
export interface ClusterServiceVersionsOptions {
  /** How many. */
  readonly count: number
  /** Whether each carries the managedFields that a server adds when it is created. @default true */
  readonly managedFields?: boolean | undefined
  /** @default 1 */
  readonly seed?: number | undefined
}

/**
 * The shapes that the stand-ins have: bytes, keys and the longest string of ten ClusterServiceVersions
 * that public operators ship, as `measure.ts` counted them. Two of them are all but one icon.
 */
export const CSV_PROFILES: readonly { readonly bytes: number; readonly keys: number; readonly longest: number }[] = [
  { bytes: 32_009, keys: 189, longest: 21_404 },
  { bytes: 20_302, keys: 248, longest: 8_044 },
  { bytes: 16_012, keys: 231, longest: 5_840 },
  { bytes: 15_321, keys: 247, longest: 2_649 },
  { bytes: 172_487, keys: 122, longest: 167_248 },
  { bytes: 39_107, keys: 641, longest: 8_511 },
  { bytes: 9_861, keys: 193, longest: 1_436 },
  { bytes: 14_445, keys: 269, longest: 2_158 },
  { bytes: 871_817, keys: 133, longest: 866_524 },
  { bytes: 27_198, keys: 469, longest: 5_151 },
]

interface Csv extends KubeObject {
  readonly spec: Spec & Record<string, unknown>
}

interface Spec {
  description: string
  icon: { base64data: string; mediatype: string }[]
  install: { strategy: 'deployment'; spec: { clusterPermissions: { serviceAccountName: string; rules: Rule[] }[] } }
  customresourcedefinitions: { owned: Owned[] }
}

interface Rule {
  apiGroups: string[]
  resources: string[]
  verbs: string[]
}

interface Owned {
  name: string
  version: string
  kind: string
  displayName: string
  description: string
  specDescriptors: { description: string; displayName: string; path: string; 'x-descriptors': string[] }[]
}

/**
 * Generates stand-ins for ClusterServiceVersions, one by one, going round {@link CSV_PROFILES}: a deployment nested
 * 15 deep, RBAC rules and descriptors to the number of keys, an icon and texts to the number of bytes.
 */
export function* clusterServiceVersions(options: ClusterServiceVersionsOptions): Generator<KubeObject> {
  const { count, managedFields = true, seed = 1 } = options
  const random = seededRandom(seed)
  const text = randomText(random)
  for (let i = 0; i < count; i++) {
    const profile = CSV_PROFILES[i % CSV_PROFILES.length] as (typeof CSV_PROFILES)[number]
    const csv = skeleton(i, random, text)
    growKeys(csv, profile.keys, random)
    const icon = csv.spec.icon[0]
    if (icon) icon.base64data = text.base64(profile.longest - (profile.longest % 4))
    growText(csv, profile.bytes, profile.longest, text)
    if (!managedFields) yield csv
    else yield { ...csv, metadata: { ...csv.metadata, managedFields: [managedFieldsOf(csv, 'catalog')] } }
  }
}

function skeleton(index: number, random: SeededRandom, text: RandomText): Csv {
  const app = random.pick(APPS)
  const name = `${app}-operator.v0.${index}.${random.below(10)}`
  const labels = { name: `${app}-operator` }
  const env = [
    { name: 'WATCH_NAMESPACE', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } } },
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ]
  const container = {
    name: 'manager',
    image: `registry.example.com/${app}:v0.${index}`,
    command: [`${app}-operator`],
    env,
  }
  const deployment = {
    name: `${app}-operator`,
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { serviceAccountName: `${app}-operator`, containers: [container] } },
    },
  }
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name,
      namespace: `${app}-operators`,
      uid: seededUid(random),
      creationTimestamp: timestamp(1_767_225_600 + random.below(20_000_000)),
      annotations: {
        capabilities: 'Seamless Upgrades',
        'alm-examples': JSON.stringify([{ kind: 'Game', spec: text.base64(200) }]),
      },
    },
    spec: {
      displayName: `${app} operator`,
      description: '',
      version: `0.${index}.0`,
      maturity: 'alpha',
      icon: [{ base64data: '', mediatype: 'image/png' }],
      keywords: [app, 'operator'],
      maintainers: [{ name: 'The Arcade', email: 'arcade@example.com' }],
      provider: { name: 'The Arcade' },
      links: [{ name: 'Source', url: 'https://example.com/source' }],
      installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map(type => ({
        type,
        supported: true,
      })),
      install: {
        strategy: 'deployment',
        spec: { clusterPermissions: [{ serviceAccountName: `${app}-operator`, rules: [] }], deployments: [deployment] },
      } as Spec['install'],
      customresourcedefinitions: { owned: [] },
    },
  }
}

/** Adds descriptors (four keys each) of owned kinds, and rules (three), until the object has `wanted` keys. */
function growKeys(csv: Csv, wanted: number, random: SeededRandom): void {
  let missing = wanted - countKeys(csv)
  const { owned } = csv.spec.customresourcedefinitions
  const rules = csv.spec.install.spec.clusterPermissions[0]?.rules ?? []
  while (missing >= 3) {
    if (missing >= 10 && owned.length * 40 < wanted) {
      const noun = random.pick(NOUNS)
      owned.push({
        name: `${noun}s.arcade.example.com`,
        version: 'v1alpha1',
        kind: noun,
        displayName: noun,
        description: '',
        specDescriptors: [],
      })
      missing -= 6
    } else if (missing % 2 === 0 || missing < 7) {
      const into = owned[random.below(owned.length)]?.specDescriptors
      if (into === undefined || missing < 4) {
        rules.push({ apiGroups: [''], resources: [`${random.pick(NOUNS)}s`], verbs: ['*'] })
        missing -= 3
      } else {
        const path = `${random.pick(QUALITIES)}.${random.pick(NOUNS)}`
        into.push({ description: `The ${path}`, displayName: path, path, 'x-descriptors': ['urn:alm:descriptor:text'] })
        missing -= 4
      }
    } else {
      rules.push({ apiGroups: ['apps'], resources: [`${random.pick(NOUNS)}s`], verbs: ['get', 'list', 'watch'] })
      missing -= 3
    }
  }
}

/** Spreads text over the descriptions until the object has `wanted` bytes; none becomes longer than `longest`. */
function growText(csv: Csv, wanted: number, longest: number, text: RandomText): void {
  let missing = Math.max(0, Math.round((wanted - jsonBytes(csv)) / escapedPerChar))
  const first = Math.min(missing, longest)
  csv.spec.description = text.lines(first)
  missing -= first
  const { owned } = csv.spec.customresourcedefinitions
  for (const [at, each] of owned.entries()) {
    const chars = Math.min(longest, Math.ceil(missing / (owned.length - at)))
    each.description = text.lines(chars)
    missing -= chars
  }
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countKeys(item), 0)
  return Object.values(value).reduce<number>((sum, item) => sum + 1 + countKeys(item), 0)
}
