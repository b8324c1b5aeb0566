import type { KubeObject, ManagedFieldsEntry } from './object.ts'
import { seededRandom, seededUid } from './random.ts'
import { escapedPerChar, randomText, twiceEscapedPerChar } from './text.ts'
import { APPS, COMPONENTS, FILES, NAMESPACES, NOUNS } from './words.ts'

/** What {@link configMaps} and {@link secrets} generate. */
export interface ConfigMapsOptions {
  /** How many. */
  readonly count: number
  /** Mean bytes of one as JSON, `kind` and `apiVersion` included; single ones have from half to one and a half of it. @default 1930 */
  readonly bytes?: number | undefined
  /** The share of managedFields in these bytes; 0 leaves them out, 0.35 is the most. @default 0.18 */
  readonly managedFieldsShare?: number | undefined
  /** @default 1 */
  readonly seed?: number | undefined
}

/** One generated ConfigMap, or Secret. */
export interface DataObject extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly name: string; readonly namespace: string }
  readonly data: Readonly<Record<string, string>>
}

/** One in five was made by `kubectl apply`, and carries its data twice. */
const APPLIED_SHARE = 0.2
/** One in fifty speaks more than ASCII, to the length of four bytes a character. */
const FOREIGN_SHARE = 0.02
const FOREIGN = 'größe · 設定 · настройка · 🎛️🗺️'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
/** Further keys come from a small vocabulary, as in a real cluster: parsers intern what they have seen before. */
const KEYS = FILES.flatMap(file => NOUNS.map(noun => `${noun}.${file}`))
/** 2026-01-01T00:00:00Z in seconds. */
const EPOCH = 1_767_225_600

/**
 * Generates ConfigMaps one by one: over 50 namespaces, with labels, annotations, a few files of
 * random text in lines, and managedFields as two managers leave them. Names are unique and come in no order. One seed
 * gives one sequence; `count` only says where it ends.
 */
export function configMaps(options: ConfigMapsOptions): Iterable<DataObject> {
  return dataObjects('ConfigMap', options)
}

/** The same as Secrets of type Opaque: their data are base64. */
export function secrets(options: ConfigMapsOptions): Iterable<DataObject> {
  return dataObjects('Secret', options)
}

function* dataObjects(kind: 'ConfigMap' | 'Secret', options: ConfigMapsOptions): Generator<DataObject> {
  const { count, bytes = 1930, managedFieldsShare = 0.18, seed = 1 } = options
  if (!(managedFieldsShare >= 0 && managedFieldsShare <= 0.35)) {
    throw new RangeError(`managedFieldsShare must be from 0 to 0.35, not ${managedFieldsShare}`)
  }
  if (!(bytes >= 1200)) throw new RangeError(`bytes must be at least 1200, not ${bytes}`)
  const random = seededRandom(seed)
  const text = randomText(random)
  const secret = kind === 'Secret'
  // What was promised and not yet given: each object pays the debt of those before it, so that the means come out.
  let owedBytes = 0
  let owedManaged = 0

  for (let i = 0; i < count; i++) {
    const size = bytes * (0.5 + random.next())
    const app = random.pick(APPS)
    const namespace = random.pick(NAMESPACES)
    const component = random.pick(COMPONENTS)
    const name = `${app}-${component}-${(Math.imul(i, 0x9e3779b1) >>> 0).toString(36)}`
    const creationTimestamp = timestamp(EPOCH + random.below(20_000_000))
    const labels: Record<string, string> = {
      'app.kubernetes.io/name': app,
      'app.kubernetes.io/component': component,
      'app.kubernetes.io/managed-by': i % 10 === 0 ? 'game' : 'helm',
    }
    const annotations: Record<string, string> = { 'meta.helm.sh/release-namespace': namespace }
    if (random.next() < FOREIGN_SHARE) annotations['arcade.example.com/note'] = FOREIGN

    owedBytes += size
    owedManaged += bytes * managedFieldsShare
    const keys = [FILES[i % FILES.length] as string]
    const applied = random.next() < APPLIED_SHARE
    const first = random.below(KEYS.length)
    let managedFields: ManagedFieldsEntry[] | undefined
    if (managedFieldsShare > 0) {
      managedFields = entries(keys, annotations, applied, creationTimestamp)
      let managedBytes = JSON.stringify(managedFields).length
      const fieldsV1 = managedFields[0]?.fieldsV1['f:data'] as Record<string, unknown>
      while (owedManaged - managedBytes > 20 && keys.length < 64) {
        const key = KEYS[(first + keys.length) % KEYS.length] as string
        keys.push(key)
        fieldsV1[`f:${key}`] = {}
        managedBytes += key.length + 8
      }
      owedManaged -= managedBytes
    }

    const data: Record<string, string> = {}
    for (let k = 1; k < keys.length; k++) data[keys[k] as string] = 'dHJ1ZQ=='
    data[keys[0] as string] = ''
    const metadata = {
      name,
      namespace,
      uid: seededUid(random),
      creationTimestamp,
      labels,
      annotations,
      ...(managedFields === undefined ? {} : { managedFields }),
    }
    const object: DataObject = {
      apiVersion: 'v1',
      kind,
      metadata,
      ...(secret ? { type: 'Opaque' } : {}),
      data,
    }
    if (applied) annotations[LAST_APPLIED] = ''
    let skeleton = Buffer.byteLength(JSON.stringify(object))
    const perChar = secret ? 1 : escapedPerChar
    let given = skeleton
    let chars: number
    if (applied) {
      annotations[LAST_APPLIED] = appliedText(object, labels, data)
      skeleton = Buffer.byteLength(JSON.stringify(object))
      const twice = perChar + (secret ? 1 : twiceEscapedPerChar)
      chars = Math.max(8, Math.round((owedBytes - skeleton) / twice))
      given = skeleton + chars * twice
    } else {
      chars = Math.max(8, Math.round((owedBytes - skeleton) / perChar))
      given = skeleton + chars * perChar
    }
    if (secret) chars -= chars % 4
    data[keys[0] as string] = secret ? text.base64(chars) : text.lines(chars)
    if (applied) annotations[LAST_APPLIED] = appliedText(object, labels, data)
    owedBytes -= given
    yield object
  }
}

/** What `kubectl apply` was given. */
function appliedText(object: DataObject, labels: Record<string, string>, data: Record<string, string>): string {
  const { name, namespace } = object.metadata
  return JSON.stringify({ apiVersion: 'v1', data, kind: object.kind, metadata: { labels, name, namespace } })
}

function entries(
  keys: readonly string[],
  annotations: Record<string, string>,
  applied: boolean,
  time: string,
): ManagedFieldsEntry[] {
  const data: Record<string, unknown> = { '.': {} }
  for (const key of keys) data[`f:${key}`] = {}
  const owned: Record<string, unknown> = { '.': {} }
  for (const key of Object.keys(annotations)) owned[`f:${key}`] = {}
  if (applied) owned[`f:${LAST_APPLIED}`] = {}
  const fieldsV1 = {
    'f:data': data,
    'f:metadata': { 'f:annotations': owned, 'f:labels': { 'f:app.kubernetes.io/name': {} } },
  }
  const manager = applied ? 'kubectl-client-side-apply' : 'helm'
  return [{ manager, operation: 'Update', apiVersion: 'v1', time, fieldsType: 'FieldsV1', fieldsV1 }]
}

/** RFC 3339 of seconds since 1970, to the second. */
export function timestamp(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
}
