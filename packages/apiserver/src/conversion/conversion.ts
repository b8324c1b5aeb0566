import { type JsonObject, objectAt, own, sameJson, stringAt, stringsAt } from '@wherry/cel/internal'
import { uuid } from '../metadata/names.ts'
import type { KubeObject } from '../objects/object.ts'
import { materialise, serialise } from '../objects/stored.ts'
import { addressOf, type HookAddress, type HookAnswer, type HookClient } from '../outside/hook-client.ts'
import type { Outside, Question } from '../outside/outside.ts'
import type { Converts, StoredForm } from '../resources/converts.ts'
import { apiVersionOf, type ResourceType } from '../resources/resource-type.ts'
import { decode } from '../schema/decode.ts'
import { applyDefaults } from '../schema/defaults.ts'
import type { ResourceSchema } from '../schema/resource-schema.ts'
import { StatusError } from '../status.ts'
import type { Version } from '../store/version.ts'
import { conversionReview, readConverted } from './conversion-review.ts'

/** The parts of the server that conversions need. */
export interface ConversionHost {
  readonly outside: Outside
  readonly client: HookClient
  readonly random: () => number
}

type Reply = { readonly uid: string; readonly answer: HookAnswer }

/** The time that a server waits for a conversion, in seconds. */
const timeoutSeconds = 30

/** Converts the objects of one definition between its versions, by its webhook. */
export class Conversion implements Converts {
  readonly #host: ConversionHost
  readonly #id: string
  readonly #address: HookAddress
  readonly #reviewVersion: string
  /** The converted states, by the version to which each was converted. */
  readonly #views = new WeakMap<Version, Map<string, Version>>()

  /** `id` identifies the state of the definition. */
  constructor(host: ConversionHost, webhook: JsonObject, id: string) {
    this.#host = host
    this.#id = id
    this.#address = addressOf(objectAt(webhook, 'clientConfig'))
    const versions = stringsAt(webhook, 'conversionReviewVersions')
    this.#reviewVersion = versions.find(version => version === 'v1' || version === 'v1beta1') ?? 'v1'
  }

  lacks(type: ResourceType, version: Version): boolean {
    return isForeign(type, version) && this.#views.get(version)?.has(type.version) !== true
  }

  prepare(type: ResourceType, version: Version): void {
    const [failure] = this.#prepare(type, [version])
    if (failure !== undefined) throw new CorruptError(failure)
  }

  prepareList(type: ResourceType, versions: readonly Version[]): void {
    const failures = this.#prepare(type, versions)
    if (failures.length > 0) throw unreadable(type, failures)
  }

  #prepare(type: ResourceType, versions: readonly Version[]): Failure[] {
    const lacking = versions.filter(version => this.lacks(type, version))
    if (lacking.length === 0) return []
    const originals = lacking.map(version => this.#original(type, version))
    const replies = this.#host.outside.answers(originals.map(object => this.#question([object], type.apiVersion)))
    return lacking.flatMap((version, i): Failure[] => {
      const { uid, answer } = replies[i] as Reply
      const converted = this.#read(answer, uid, originals[i] as KubeObject, type.apiVersion)
      if (typeof converted === 'string') return [{ type, version, why: converted }]
      this.#keep(type, version, converted)
      return []
    })
  }

  async fetch(type: ResourceType, version: Version): Promise<StatusError | undefined> {
    const original = this.#original(type, version)
    const question = this.#question([original], type.apiVersion)
    const { uid, answer } = await question.ask(this.#host.outside.closed)
    const converted = this.#read(answer, uid, original, type.apiVersion)
    if (typeof converted === 'string') return new CorruptError({ type, version, why: converted })
    this.#keep(type, version, converted)
    return undefined
  }

  view(type: ResourceType, version: Version): Version {
    if (!isForeign(type, version)) return version
    if (this.#host.outside.underWay) this.prepare(type, version)
    return this.#views.get(version)?.get(type.version) ?? version
  }

  object(object: KubeObject, to: string): KubeObject {
    if (object.apiVersion === to) return object
    const [reply] = this.#host.outside.answers([this.#question([object], to)])
    const { uid, answer } = reply as Reply
    const converted = this.#read(answer, uid, object, to)
    if (typeof converted === 'string') throw new StatusError(500, '', converted)
    return converted
  }

  unchanged(type: ResourceType, object: KubeObject, before: Version): boolean {
    const stored = materialise(before, apiVersionOf(type.group, before.storedAs), type.kind)
    return sameJson(this.stored(type, object, before).object, stored)
  }

  stored(type: ResourceType, object: KubeObject, before: Version | undefined): StoredForm {
    // The server's own controllers write objects at the version that was stored.
    if (!this.#host.outside.underWay) {
      const version = before?.storedAs ?? type.storageVersion
      return { object, version, schema: before?.schema ?? type.storageSchema?.fingerprint, shown: object }
    }
    if (type.version === type.storageVersion) {
      return { object, version: type.version, schema: type.schema?.fingerprint, shown: object }
    }
    const converted = this.object(object, apiVersionOf(type.group, type.storageVersion))
    const storage = type.storageSchema
    const kept = pruned(storage, converted)
    const shown = pruned(type.schema, this.object(kept, type.apiVersion))
    // The schema is undefined, because its defaults are filled in only when the object is read.
    return { object: kept, version: type.storageVersion, schema: undefined, shown }
  }

  remember(type: ResourceType, version: Version, shown: KubeObject): void {
    if (isForeign(type, version)) this.#keep(type, version, shown)
  }

  #original(type: ResourceType, version: Version): KubeObject {
    const object = materialise(version, apiVersionOf(type.group, version.storedAs), type.kind)
    const storage = version.storedAs === type.storageVersion ? type.storageSchema : undefined
    return storage === undefined ? object : (applyDefaults(storage.root, object) as KubeObject)
  }

  #keep(type: ResourceType, version: Version, converted: KubeObject): void {
    const views = this.#views.get(version) ?? new Map<string, Version>()
    this.#views.set(version, views)
    const text = serialise(converted, String(version.rv), true)
    const { labels } = converted.metadata
    views.set(type.version, { ...version, ...text, labels, schema: undefined, source: version, prev: undefined })
  }

  #question(objects: readonly KubeObject[], to: string): Question<Reply> {
    const { client, random } = this.#host
    return {
      key: `${this.#id} ${to} ${JSON.stringify(objects)}`,
      ask: async signal => {
        const uid = uuid(random)
        const review = conversionReview(uid, objects, to, this.#reviewVersion)
        return { uid, answer: await client.send(this.#address, review, timeoutSeconds, signal) }
      },
    }
  }

  #read(answer: HookAnswer, uid: string, original: KubeObject, to: string): KubeObject | string {
    const converted = readConverted(answer, uid, [original], to, this.#reviewVersion)
    return typeof converted === 'string' ? converted : (converted[0] as KubeObject)
  }
}

/** A state that could not be converted, and the reason. */
interface Failure {
  readonly type: ResourceType
  readonly version: Version
  readonly why: string
}

function pruned(schema: ResourceSchema | undefined, object: KubeObject): KubeObject {
  return schema === undefined ? object : (decode(schema.root, object, false).object as KubeObject)
}

function notDecodable({ version, why }: Failure): string {
  return `object not decodable revision=${version.rv}: ${why}`
}

function storageError(failure: Failure, root: string): string {
  const key = `${root}/${failure.type.group}/${failure.type.plural}/${failure.version.key}`
  return `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${notDecodable(failure)}`
}

/** Thrown if a stored object can't be converted when it is read. */
export class CorruptError extends StatusError {
  /** The error for a read that precedes a write. */
  readonly forWrite: StatusError

  constructor(failure: Failure) {
    const { code, reason, message, details } = StatusError.internal(storageError(failure, ''))
    super(code, reason, message, { details })
    this.forWrite = new StatusError(500, '', notDecodable(failure))
  }
}

function unreadable({ group, plural }: ResourceType, failures: readonly Failure[]): StatusError {
  const texts = failures.map(failure => storageError(failure, '/registry'))
  const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  const message = `failed to read one or more ${plural}.${group} from the storage: ${all}`
  const causes = failures.map(({ version }, i) => ({
    reason: 'UnexpectedServerResponse',
    message: texts[i] as string,
    field: `/registry/${group}/${plural}/${version.key}`,
  }))
  return new StatusError(500, 'StorageReadError', message, { details: { name: 'list', group, kind: plural, causes } })
}

function isForeign(type: ResourceType, version: Version): boolean {
  return version.source === undefined && version.storedAs !== type.version
}

/** The conversion of a definition; `undefined` if its versions differ only in their names. */
export function conversionOf(host: ConversionHost, definition: KubeObject): Conversion | undefined {
  const conversion = objectAt(objectAt(definition, 'spec'), 'conversion')
  const webhook = objectAt(conversion, 'webhook')
  if (stringAt(conversion, 'strategy') !== 'Webhook' || webhook === undefined) return undefined
  const { uid, resourceVersion } = definition.metadata
  return new Conversion(host, webhook, `${uid}/${resourceVersion}`)
}

/** Fills in the optional fields of a conversion's webhook. */
export function completeConversion(spec: JsonObject): void {
  const conversion = objectAt(spec, 'conversion')
  const webhook = objectAt(conversion, 'webhook')
  const config = objectAt(webhook, 'clientConfig')
  const service = objectAt(config, 'service')
  if (service === undefined || own(service, 'port') !== undefined) return
  spec.conversion = {
    ...conversion,
    webhook: { ...webhook, clientConfig: { ...config, service: { ...service, port: 443 } } },
  }
}
