import type { Environment } from '@wherry/client'
import { redactError } from '@wherry/client/internal'
import { isFields } from '../admission/json.ts'
import type { ReviewAnswer } from '../admission/review.ts'
import { mayRound, parseKeeping, roundedIn } from './body.ts'
import type { Conversion } from './conversion.ts'
import { keyOfObject } from './convert-one.ts'
import type { ConvertibleObject } from './converter.ts'
import { ConversionError, isConversionError } from './errors.ts'

const apiVersion = 'apiextensions.k8s.io/v1'
/** The maximum length of a uid. Those of the API server have 36 characters. */
const longestUid = 128
/** The deadline of an answer, in milliseconds. An API server always waits for 30 seconds. */
export const deadlineMs: number = 24_000
/** The maximum number of objects that an answer and the log name. */
const mostNamed = 5

/** Answers the body of a request: a ConversionReview in JSON, or why the body is none. Never rejects. */
export async function answerConversion(
  conversion: Conversion,
  body: Buffer,
  environment: Environment,
): Promise<ReviewAnswer> {
  const text = body.toString()
  let review: unknown
  try {
    review = parseKeeping(text)
  } catch {
    return { badRequest: 'the body is not JSON' }
  }
  const request = isFields(review) ? review.request : undefined
  if (!isFields(review) || !isFields(request)) return { badRequest: 'the body is no ConversionReview with a request' }
  const { uid, desiredAPIVersion, objects } = request
  if (typeof uid !== 'string' || uid.length > longestUid || typeof desiredAPIVersion !== 'string')
    return { badRequest: 'the request of the ConversionReview has a wrong uid or desiredAPIVersion' }
  if (!Array.isArray(objects) || !objects.every(isConvertible))
    return { badRequest: 'the request of the ConversionReview has objects that are none' }
  if (review.apiVersion !== apiVersion || review.kind !== 'ConversionReview')
    return {
      badRequest: `this webhook takes a ConversionReview of ${apiVersion} only: set conversionReviewVersions to ["v1"]`,
    }
  const looksAtNumbers = mayRound(text)
  const { converted, failures } = await convertAll(conversion, objects, desiredAPIVersion, looksAtNumbers, environment)
  if (failures.length === 0) return written({ uid, convertedObjects: converted, result: { status: 'Success' } })
  report(conversion, failures, environment)
  const message = messageOf(conversion, objects.length, desiredAPIVersion, failures)
  return written({ uid, convertedObjects: [], result: { status: 'Failure', message } })
}

async function convertAll(
  conversion: Conversion,
  objects: readonly ConvertibleObject[],
  to: string,
  looksAtNumbers: boolean,
  { clock }: Environment,
): Promise<{ readonly converted: readonly unknown[]; readonly failures: readonly ConversionError[] }> {
  const end = new AbortController()
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = clock.timer(deadlineMs, () => {
    const error = new Error(`deadline exceeded: the conversion did not end within ${deadlineMs} ms`)
    reject(error)
    end.abort(error)
  })
  const version = to.slice(to.lastIndexOf('/') + 1)
  const failures: ConversionError[] = []
  const one = async (object: ConvertibleObject): Promise<unknown> => {
    const key = keyOfObject(object.metadata)
    try {
      const { path, source } = (looksAtNumbers ? roundedIn(object) : undefined) ?? {}
      if (path !== undefined)
        throw new ConversionError(
          'ROUNDED_INTEGER',
          key,
          path,
          `${path} is ${source}, which JavaScript would round: make it a string`,
        )
      checkGroup(conversion, to, key)
      return await Promise.race([conversion.convert(object as never, version, { signal: end.signal }), late])
    } catch (error) {
      failures.push(
        isConversionError(error)
          ? error
          : new ConversionError('DEADLINE', key, '', error instanceof Error ? error.message : 'it ended', error),
      )
      return undefined
    }
  }
  try {
    late.catch(() => {})
    const converted = await Promise.all(objects.map(one))
    return { converted, failures }
  } finally {
    timer.cancel()
    end.abort(new Error('the conversion was answered'))
  }
}

/** Throws a ConversionError if the requested version is of another group. */
function checkGroup({ hub, versions }: Conversion, to: string, key: string): void {
  const { group } = hub.resource
  if (to.startsWith(`${group}/`)) return
  const why = `there is no conversion to ${JSON.stringify(to)}; the operator declares ${versions.join(', ')} of ${group}`
  throw new ConversionError('UNKNOWN_VERSION', key, '/apiVersion', why)
}

function messageOf({ hub }: Conversion, count: number, to: string, failures: readonly ConversionError[]): string {
  const { kind } = hub.resource
  const named = failures.slice(0, mostNamed).map(({ message }) => message)
  const rest = failures.length - named.length
  const more = rest === 0 ? '' : `; and ${rest} more`
  const which = count === 1 ? `the ${kind}` : `${failures.length} of ${count} objects of ${kind}`
  return `${which} can't be converted to ${to}: ${named.join('; ')}${more}`
}

function report({ name, hub }: Conversion, failures: readonly ConversionError[], environment: Environment): void {
  const webhook = `convert/${name}`
  for (const { code } of failures)
    environment.metrics.count('wherry_webhook_failures_total', { webhook, reason: code.toLowerCase() })
  for (const error of failures.slice(0, mostNamed)) {
    const { key, cause } = error
    // For a kind with secret values, the text of the converter's error is left out.
    const shown =
      cause === undefined
        ? error
        : new ConversionError(error.code, key, error.path, error.why, redactError(hub.resource, cause))
    environment.onError(shown, { phase: `conversion/${name}`, resource: hub.key, key })
  }
  const [first] = failures
  environment.log('warn', `objects can't be converted`, {
    webhook,
    count: failures.length,
    key: first?.key ?? '',
    why: first?.why ?? '',
  })
}

function isConvertible(value: unknown): value is ConvertibleObject {
  return isFields(value) && isFields(value.metadata)
}

function written(response: object): ReviewAnswer {
  return { review: JSON.stringify({ apiVersion, kind: 'ConversionReview', response }) }
}
