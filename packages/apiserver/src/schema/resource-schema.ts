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

  /** `raw` passed `checkStructural`. */
  constructor(raw: JsonObject) {
    this.#raw = raw
  }

  /** As the definition has it. */
  get raw(): JsonObject {
    return this.#raw
  }

  get root(): Schema {
    this.#root ??= readSchema(this.#raw)
    return this.#root
  }

  /** Equal for equal schemas, so that an object written under one need not be looked at again. */
  get fingerprint(): string {
    this.#fingerprint ??= createHash('sha256').update(JSON.stringify(this.#raw)).digest('base64')
    return this.#fingerprint
  }

  /**
   * `version` as it is read: with the defaults of the version that it is stored at, and without what this schema does
   * not know. `version` itself where that is the same.
   */
  view(version: Version, storage: ResourceSchema): Version {
    if (version.schema === this.fingerprint) return version
    let view = this.#views.get(version)
    if (view !== undefined) return view
    const object = materialise(version, '', '')
    // What was converted had its defaults before.
    const whole = version.source === undefined ? applyDefaults(storage.root, object) : object
    const { object: read } = decode(this.root, whole, false)
    const stored = serialise(read as typeof object, String(version.rv), true)
    view = stored.text === version.text ? version : { ...version, ...stored, prev: undefined }
    this.#views.set(version, view)
    return view
  }
}
