import { createHash } from 'node:crypto'
import type { JsonObject } from '@wherry/cel/internal'
import { readSchema, type Schema } from '@wherry/cel/internal'
import { materialise, serialise } from '../objects/stored.ts'
import type { Version } from '../store/version.ts'
import { decode } from './decode.ts'
import { applyDefaults } from './defaults.ts'

/** The schema of a custom resource at one version. */
export class ResourceSchema {
  readonly #raw: JsonObject
  readonly #views = new WeakMap<Version, Version>()
  #root: Schema | undefined
  #fingerprint: string | undefined

  /** `raw` has passed `checkStructural`. */
  constructor(raw: JsonObject) {
    this.#raw = raw
  }

  /** The schema as in the definition. */
  get raw(): JsonObject {
    return this.#raw
  }

  get root(): Schema {
    this.#root ??= readSchema(this.#raw)
    return this.#root
  }

  /** Equal for equal schemas, so that an object that was written under an equal schema need not be checked again. */
  get fingerprint(): string {
    this.#fingerprint ??= createHash('sha256').update(JSON.stringify(this.#raw)).digest('base64')
    return this.#fingerprint
  }

  /**
   * `version` as a client reads it: with the defaults of the storage version's schema, and without fields that this schema does not know. Returns `version`
   * itself if nothing changes.
   */
  view(version: Version, storage: ResourceSchema): Version {
    if (version.schema === this.fingerprint) return version
    let view = this.#views.get(version)
    if (view !== undefined) return view
    const object = materialise(version, '', '')
    // A converted object got its defaults before the conversion.
    const whole = version.source === undefined ? applyDefaults(storage.root, object) : object
    const { object: read } = decode(this.root, whole, false)
    const stored = serialise(read as typeof object, String(version.rv), true)
    view = stored.text === version.text ? version : { ...version, ...stored, prev: undefined }
    this.#views.set(version, view)
    return view
  }
}
