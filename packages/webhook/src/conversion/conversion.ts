import { type KubernetesObject, OptionRangeError, OptionTypeError, type View } from '@wherry/client'
import { callback, checkOptions } from '@wherry/client/internal'
import { isFields } from '../admission/json.ts'
import { WebhookUsageError } from '../errors.ts'
import { convertOne } from './convert-one.ts'
import type { AnyConvert, Converter } from './converter.ts'
import { differences } from './differences.ts'
import { checkConverted } from './view-check.ts'

type AnyConverter = { readonly toHub: AnyConvert; readonly fromHub: AnyConvert }

/** The result of the conversion of an object to a version and back. */
export interface RoundTrip {
  readonly converted: KubernetesObject
  readonly back: KubernetesObject
  /** The paths of values that were lost, changed or added: `spec.board.size`, with `[]` for the items of a list. */
  readonly lost: readonly string[]
}

/** Never aborted. */
const never = new AbortController().signal

/**
 * The conversion between the versions of a kind. Each version is converted to the hub version and from it, so a converter knows only its own version and
 * the hub. Tests convert objects with it, and `webhooks.convert` serves it.
 *
 * @example
 * ```ts
 * import { defineResource, type KubernetesObject } from '@wherry/client'
 * import { Conversion } from '@wherry/webhook'
 *
 * interface Old extends KubernetesObject { spec?: { size?: number | undefined } }
 * interface Game extends KubernetesObject { spec?: { players?: { most?: number | undefined } } }
 * const names = { group: 'arcade.example.com', kind: 'Game', plural: 'games', namespaced: true }
 * const old = defineResource<Old>({ ...names, version: 'v1beta1' })
 * const games = defineResource<Game>({ ...names, version: 'v1' })
 *
 * export const gameConversion = new Conversion(games).version(old, {
 *   toHub: ({ spec }) => ({ spec: { players: { most: spec?.size } } }),
 *   fromHub: ({ spec }) => ({ spec: { size: spec?.players?.most } }),
 * })
 * ```
 */
export class Conversion<H = unknown> {
  /** The version that all others are converted through. */
  readonly hub: View<H>
  readonly #converters = new Map<string, AnyConverter>()

  /** @throws OptionTypeError, OptionRangeError for a view that is not of a whole custom resource */
  constructor(hub: View<H>) {
    checkConverted('conversion.hub', hub)
    this.hub = hub
  }

  /** The tag by which programs recognize a conversion, also of another copy of this package. */
  get [Symbol.toStringTag](): 'WherryConversion' {
    return 'WherryConversion'
  }

  /**
   * Declares how a version is converted to the hub and from it.
   *
   * @throws OptionTypeError, OptionRangeError for the version of the hub or a version of another kind; WebhookUsageError for a version that is declared already
   */
  version<V>(view: View<V>, converter: Converter<V, H>): this {
    checkConverted('conversion.version', view)
    checkOptions('conversion', converter, { toHub: callback, fromHub: callback }, ['toHub', 'fromHub'])
    const { resource } = view
    const { resource: hub } = this.hub
    for (const field of ['group', 'kind', 'plural', 'namespaced'] as const)
      if (resource[field] !== hub[field])
        throw new OptionRangeError(
          `conversion.version.${field}`,
          `that of the hub: ${JSON.stringify(hub[field])}`,
          JSON.stringify(resource[field]),
        )
    const { version } = resource
    if (version === hub.version)
      throw new OptionRangeError('conversion.version', 'another version than the hub', JSON.stringify(version))
    if (this.#converters.has(version))
      throw new WebhookUsageError(
        'CONVERSION_TAKEN',
        `the version ${version} of ${this.name} has a converter: declare one`,
      )
    this.#converters.set(version, converter)
    return this
  }

  /** The plural and the group of the kind: the name of its definition. */
  get name(): string {
    const { plural, group } = this.hub.resource
    return `${plural}.${group}`
  }

  /** All versions, the hub first. */
  get versions(): readonly string[] {
    return [this.hub.resource.version, ...this.#converters.keys()]
  }

  /**
   * Converts an object to a version, with the result that the API server would get. The object is frozen, and not changed.
   *
   * @throws OptionTypeError for a value that is no object with metadata; ConversionError
   */
  async convert(
    object: KubernetesObject,
    version: string,
    { signal = never }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<KubernetesObject> {
    if (!isFields(object) || !isFields(object.metadata))
      throw new OptionTypeError('convert.object', 'an object with metadata', typeof object)
    const { resource } = this.hub
    const parts = { kind: resource.kind, hub: resource.version, group: resource.group, converters: this.#converters }
    const apiVersion = `${resource.group}/${version}`
    return (await convertOne(parts, object as never, apiVersion, signal)) as KubernetesObject
  }

  /**
   * Converts an object to a version and back to its own version.
   *
   * @throws OptionTypeError for a value that is no object with metadata; ConversionError
   */
  async roundTrip(object: KubernetesObject, version: string): Promise<RoundTrip> {
    const converted = await this.convert(object, version)
    const own = `${object.apiVersion}`
    const back = await this.convert(converted, own.slice(own.lastIndexOf('/') + 1))
    return { converted, back, lost: differences(object, back) }
  }
}
