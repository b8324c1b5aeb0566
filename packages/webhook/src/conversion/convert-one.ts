import { frozen } from '../admission/frozen.ts'
import type { AnyConvert, ConvertContext, ConvertibleObject } from './converter.ts'
import { ConversionError, type UnconvertibleError } from './errors.ts'
import { resultOf } from './result.ts'

/** The declared parts of a conversion. */
export interface ConversionParts {
  readonly group: string
  readonly kind: string
  /** The version of the hub. */
  readonly hub: string
  readonly converters: ReadonlyMap<string, { readonly toHub: AnyConvert; readonly fromHub: AnyConvert }>
}

/** Names an object in errors. */
export function keyOfObject(metadata: Readonly<Record<string, unknown>>): string {
  const { namespace, name, generateName } = metadata
  const parts = [namespace, name ?? (typeof generateName === 'string' ? `${generateName}…` : undefined)]
  return parts.filter(part => typeof part === 'string' && part !== '').join('/') || 'an object without a name'
}

/** Converts an object, through the hub if neither version is the hub. Rejects with a ConversionError, or with the signal's reason. */
export async function convertOne(
  { group, kind, hub, converters }: ConversionParts,
  object: ConvertibleObject,
  to: string,
  signal: AbortSignal,
): Promise<ConvertibleObject> {
  const key = keyOfObject(object.metadata)
  const versionOf = (apiVersion: unknown): string => {
    const prefix = `${group}/`
    const version =
      typeof apiVersion === 'string' && apiVersion.startsWith(prefix) ? apiVersion.slice(prefix.length) : ''
    if (version === hub || converters.has(version)) return version
    const known = [hub, ...converters.keys()].join(', ')
    const why = `there is no conversion of ${JSON.stringify(apiVersion)}; the operator declares ${known} of ${group}`
    throw new ConversionError('UNKNOWN_VERSION', key, '/apiVersion', why)
  }
  if (object.kind !== kind)
    throw new ConversionError('OTHER_KIND', key, '/kind', `it is a ${JSON.stringify(object.kind)} and no ${kind}`)
  const from = versionOf(object.apiVersion)
  const wanted = versionOf(to)
  if (from === wanted) return object
  const step = (one: ConvertibleObject, by: AnyConvert | undefined, apiVersion: string): Promise<ConvertibleObject> =>
    by === undefined ? Promise.resolve(one) : run(by, frozen(one), apiVersion, key, { signal })
  const atHub = await step(object, converters.get(from)?.toHub, `${group}/${hub}`)
  return step(atHub, converters.get(wanted)?.fromHub, to)
}

async function run(
  convert: AnyConvert,
  object: ConvertibleObject,
  apiVersion: string,
  key: string,
  context: ConvertContext,
): Promise<ConvertibleObject> {
  try {
    context.signal.throwIfAborted()
    return resultOf(object, await convert(object as never, context), apiVersion, key)
  } catch (thrown) {
    if (thrown instanceof ConversionError) throw thrown
    if (context.signal.aborted && thrown === context.signal.reason) throw thrown
    const way = `from ${object.apiVersion} to ${apiVersion}`
    // Recognized by its name, because the converter may use another copy of this package.
    if (isUnconvertible(thrown)) {
      const about = thrown.field === undefined ? '' : `${thrown.field}: `
      throw new ConversionError('UNCONVERTIBLE', key, thrown.field ?? '', `${about}${thrown.message}`, thrown)
    }
    const name = thrown instanceof Error ? thrown.constructor.name : ''
    const what = /^[A-Z]\w{0,63}$/.test(name) ? name : 'something'
    const why = `its converter ${way} threw ${what}; the log of the operator says why`
    throw new ConversionError('THROWN', key, '', why, thrown)
  }
}

function isUnconvertible(thrown: unknown): thrown is UnconvertibleError {
  return thrown instanceof Error && thrown.name === 'UnconvertibleError' && 'field' in thrown
}
