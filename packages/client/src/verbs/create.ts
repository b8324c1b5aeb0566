import { Backoff } from '../backoff.ts'
import { ApiError } from '../errors/api-error.ts'
import { checkOptions, readableCheck } from '../errors/check.ts'
import { ConnectionError } from '../errors/connection-error.ts'
import { isAlreadyExists } from '../errors/guards.ts'
import { OptionTypeError } from '../errors/option.ts'
import type { KubernetesObject, ObjectKey } from '../views/object.ts'
import { keyText } from '../views/path.ts'
import { isExact, readAs } from '../views/read.ts'
import type { View } from '../views/resource.ts'
import { checkSegment } from '../views/segment.ts'
import type { Bound, Call, Caller } from './caller.ts'
import { getOne } from './get.ts'
import { type WriteOptions, writeChecks } from './options.ts'
import { isOutcomeOf } from './outcome.ts'
import { collectionTarget, namespaceOf, objectTarget } from './target.ts'
import { answered, checkObject, typed, writeQuery, written } from './write.ts'

/** How often a create with `generateName` is repeated if the generated name is taken. */
const maxNameRetries = 5
/** How often a create is repeated if it has left no object. */
const maxRepeats = 5

/**
 * Creates an object (rule X12). If the connection breaks before the answer, the object is read:
 *
 * - if it has all fields that were sent and is not older than this call, it is the answer;
 * - if it is another object, the call rejects with the `AlreadyExists` that a second create would get, with that object's uid in `details`;
 * - if there is no object, the create is sent again.
 *
 * With only `generateName` the name is unknown, so nothing can be read, and the call rejects with the error of the lost answer. After a 409 (the generated name
 * is taken) the create is sent again. A review of a token or of access is not stored, and has no name.
 */
export async function create<C>(caller: Caller, view: View<C>, object: object, options: WriteOptions = {}): Promise<C> {
  checkOptions('create', options, writeChecks)
  readableCheck('view', view)
  const { metadata } = checkObject(object)
  const name =
    metadata?.name === undefined || metadata.name === ''
      ? undefined
      : checkSegment('name', metadata.name, view.resource.plural)
  if (name === undefined && !metadata?.generateName && !isReview(view)) {
    throw new OptionTypeError('object', 'a metadata.name or a metadata.generateName', 'neither')
  }
  const namespace = namespaceOf(view, object)
  const call: Call = {
    method: 'POST',
    ...collectionTarget(view, namespace),
    key: name === undefined ? undefined : keyText({ name, namespace }),
    query: writeQuery(caller, options),
    body: typed(view, object),
  }
  const beganMs = caller.environment.clock.now()
  const creation = { caller, view, call, name, namespace, dryRun: options.dryRun, beganMs }
  return written(caller, view, options, call, bound => created(creation, bound))
}

/** Whether objects of the resource are reviews, such as TokenReviews, some of which must not have a name. */
function isReview({ resource: { group, plural } }: View): boolean {
  return (group === 'authentication.k8s.io' || group === 'authorization.k8s.io') && plural.endsWith('reviews')
}

/** A create, and its start. */
interface Creation {
  readonly caller: Caller
  readonly view: View
  readonly call: Call
  /** `undefined`: the server makes the name. */
  readonly name: string | undefined
  readonly namespace: string | undefined
  readonly dryRun: boolean | undefined
  readonly beganMs: number
}

async function created(creation: Creation, bound: Bound): Promise<object> {
  const { caller, view, call, name, dryRun } = creation
  const backoff = new Backoff(caller.environment)
  let lost: ConnectionError | undefined
  for (let attempt = 0; ; attempt++) {
    try {
      return await answered(caller, view, call, bound)
    } catch (error) {
      if (name === undefined) {
        if (!isAlreadyExists(error) || attempt >= maxNameRetries) throw error
      } else if (isLost(error) && dryRun !== true) {
        lost = error
      } else if (lost === undefined || !isAlreadyExists(error)) {
        throw certain(error, lost, bound)
      }
      const found = lost && (await leftBehind(creation, bound, lost))
      if (found !== undefined) return found
      if (lost !== undefined && attempt >= maxRepeats) throw lost
    }
    await backoff.wait(bound.signal)
  }
}

/** The object of a create with a lost answer; `undefined` if there is none. Throws if the object comes from another create. */
async function leftBehind(creation: Creation, bound: Bound, lost: ConnectionError): Promise<object | undefined> {
  const { caller, view, call, name, namespace, beganMs } = creation
  const { resource } = view
  const target = objectTarget(view, { name, namespace } as ObjectKey)
  // The whole object is read, because the comparison needs fields that the view may drop.
  const whole = readAs(view, isExact(view) ? 'exact' : 'full')
  const object = (await getOne(caller, whole, target, {}, bound).catch(error => {
    throw certain(error, lost, bound)
  })) as KubernetesObject | undefined
  if (object === undefined || isOutcomeOf(call.body as KubernetesObject, object, beganMs)) return object
  const message = `${resource.plural} "${name}" already exists, and is not what was sent (the create's answer was lost: ${lost.message})`
  const details = { name, group: resource.group, kind: resource.plural, uid: object.metadata?.uid }
  throw new ApiError({ status: 409, reason: 'AlreadyExists', message, details }, { ...target, method: 'POST' })
}

/** The error after a lost answer: a failed connection of a repetition does not show whether the create was processed, so the lost answer is reported. */
function certain(error: unknown, lost: ConnectionError | undefined, { signal }: Bound): unknown {
  return lost !== undefined && error instanceof ConnectionError && !signal.aborted ? lost : error
}

function isLost(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError && !error.unprocessed && brokeOff.has(error.code)
}

const brokeOff: ReadonlySet<string> = new Set(['CONNECTION_LOST', 'PING_TIMEOUT', 'STREAM_RESET', 'HEADERS_TOO_LARGE'])
