import { type KubernetesObject, OptionRangeError } from '@wherry/client'
import { checkOptions, flag, integer, texts } from '@wherry/client/internal'
import type { CustomResourceDefinition, JSONSchemaProps } from '@wherry/client/resources/apiextensions'
import type { Conversion } from './conversion.ts'
import { isWithinAny } from './differences.ts'
import { isConversionError } from './errors.ts'
import { numbersOf, randomValue } from './random-object.ts'

/** Options of {@link roundTrips}. */
export interface RoundTripsOptions {
  /** The definition of the kind, with the schemas of all versions that are converted. */
  readonly definition: CustomResourceDefinition
  /** The number of objects of each round trip: from each version to the hub and back, and from the hub to each version and back. @default 200 */
  readonly seeds?: number | undefined
  /** The first seed. @default 1 */
  readonly firstSeed?: number | undefined
  /** Fields that may get lost, with their contents: `spec.color`. A listed field that never gets lost is an error. @default none */
  readonly loses?: readonly string[] | undefined
  /** Whether converters may throw an `UnconvertibleError` for objects that the schema accepts. @default false */
  readonly mayRefuse?: boolean | undefined
}

/** The fields that got lost in one kind of round trip: `v1 → v1beta1 → v1`. */
export interface LostFields {
  readonly way: string
  readonly paths: readonly string[]
}

/**
 * An unexpected field got lost, an expected field never got lost, or an object can't be converted. Each line of the message names a problem: the round trip,
 * the field, and the seed of an object.
 */
export class RoundTripError extends Error {
  override readonly name = 'RoundTripError'
  readonly code = 'ROUND_TRIP'
}

/**
 * Converts random objects of the schemas from each version to the hub and back, and from the hub to each version and back. Resolves with the lost fields,
 * which are all expected. For a test of the conversion.
 *
 * @throws RoundTripError; OptionTypeError, OptionRangeError
 * @example
 * ```ts
 * import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
 * import { type Conversion, roundTrips } from '@wherry/webhook'
 *
 * export async function test(conversion: Conversion, definition: CustomResourceDefinition): Promise<void> {
 *   await roundTrips(conversion, { definition, loses: ['spec.color'] })
 * }
 * ```
 */
export async function roundTrips<H>(conversion: Conversion<H>, options: RoundTripsOptions): Promise<LostFields[]> {
  const checks = {
    definition: () => {},
    seeds: integer(1, 1_000_000),
    firstSeed: integer(0, 4_294_967_295),
    loses: texts,
    mayRefuse: flag,
  }
  checkOptions('roundTrips', options, checks, ['definition'])
  const { definition, seeds = 200, firstSeed = 1, loses = [], mayRefuse = false } = options
  const schemas = schemasOf(conversion, definition)
  const [hub = '', ...others] = conversion.versions
  const ways = others.flatMap(other => [[other, hub] as const, [hub, other] as const])
  const problems: string[] = []
  const all: LostFields[] = []
  for (const [from, through] of ways) {
    const way = `${from} → ${through} → ${from}`
    const lost = new Map<string, number>()
    let failure: string | undefined
    let tried = 0
    for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
      const object = randomObject(conversion, from, schemas.get(from) as JSONSchemaProps, seed)
      try {
        const trip = await conversion.roundTrip(object, through)
        tried += 1
        for (const path of trip.lost) if (!lost.has(path)) lost.set(path, seed)
      } catch (error) {
        if (!isConversionError(error)) throw error
        if (mayRefuse && error.code === 'UNCONVERTIBLE') continue
        const said = error.code === 'THROWN' ? `${error.why}: ${error.cause}` : error.why
        failure ??= `${way} fails: ${said} (seed ${seed}: ${shortened(object)})`
      }
    }
    if (failure !== undefined) problems.push(failure)
    else if (tried === 0) problems.push(`${way} refuses all of ${seeds} objects, so nothing was tried`)
    const paths = [...lost.keys()].sort()
    for (const path of paths)
      if (!isWithinAny(path, loses)) {
        const seed = lost.get(path) as number
        const object = randomObject(conversion, from, schemas.get(from) as JSONSchemaProps, seed)
        problems.push(`${way} loses ${path} (seed ${seed}: ${shortened(object)})`)
      }
    if (paths.length > 0) all.push({ way, paths })
  }
  for (const path of loses)
    if (!all.some(({ paths }) => paths.some(lost => isWithinAny(lost, [path]))))
      problems.push(`${path} is expected to get lost, and never did: leave it out of loses`)
  if (problems.length > 0)
    throw new RoundTripError(`the conversion of ${conversion.name}:\n${problems.map(one => `  ${one}`).join('\n')}`)
  return all
}

/** The schemas by version. @throws OptionRangeError if the definition and the conversion do not have the same versions */
function schemasOf<H>(
  { name, versions }: Conversion<H>,
  { metadata, spec }: CustomResourceDefinition,
): ReadonlyMap<string, JSONSchemaProps> {
  if (metadata?.name !== name)
    throw new OptionRangeError('roundTrips.definition', `the definition ${name}`, `${metadata?.name}`)
  const served = spec.versions.filter(one => one.served).map(one => one.name)
  const undeclared = served.filter(one => !versions.includes(one))
  if (undeclared.length > 0)
    throw new OptionRangeError(
      'roundTrips.definition',
      `no served version but ${versions.join(', ')}`,
      undeclared.join(', '),
    )
  const schemas = new Map(spec.versions.map(one => [one.name, one.schema?.openAPIV3Schema]))
  return new Map(
    versions.map(version => {
      const schema = schemas.get(version)
      if (schema !== undefined) return [version, schema]
      throw new OptionRangeError('roundTrips.definition', `a schema of ${version}`, `${served.join(', ') || 'none'}`)
    }),
  )
}

function randomObject<H>(
  { hub }: Conversion<H>,
  version: string,
  schema: JSONSchemaProps,
  seed: number,
): KubernetesObject {
  const random = numbersOf(seed)
  const { group, kind, namespaced } = hub.resource
  const { apiVersion: _, kind: __, metadata: ___, ...fields } = randomValue(schema, random) as Record<string, unknown>
  const texts = (): Record<string, string> => ({ 'example.com/seed': `${seed}` })
  const metadata = {
    name: `seed-${seed}`,
    ...(namespaced && { namespace: 'default' }),
    ...(random() < 0.5 && { labels: texts() }),
    ...(random() < 0.5 && { annotations: texts() }),
  }
  return { ...fields, apiVersion: `${group}/${version}`, kind, metadata } as KubernetesObject
}

function shortened({ apiVersion: _, kind: __, metadata: ___, ...fields }: KubernetesObject): string {
  const text = JSON.stringify(fields)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
