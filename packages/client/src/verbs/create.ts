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

/** A name of the server's making that is taken: so often another one is asked for. */
const maxNameRetries = 5
/** So often a create is sent again that left nothing behind. */
const maxRepeats = 5

/**
 * Creates an object (rule X12). When the connection broke before the answer came, it is read again:
 *
 * - an object as it was sent, no older than this call, is the answer;
 * - something else is the `AlreadyExists` that a second create would have got, its uid in `details`;
 * - where nothing is there, it is sent again.
 *
 * With `generateName` alone there is no name to read by: the lost answer is the error, and after a 409 (the name is taken) it is
 * sent again. A review of a token or of access is answered and not kept: it has no name at all.
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

/** Whether objects of the resource are questions, such as TokenReviews: servers refuse names on some of them. */
function isReview({ resource: { group, plural } }: View): boolean {
  return (group === 'authentication.k8s.io' || group === 'authorization.k8s.io') && plural.endsWith('reviews')
}

/** One create, and when it began. */
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

/** What a create with a lost answer left behind, if it is ours; `undefined` if there is nothing. */
async function leftBehind(creation: Creation, bound: Bound, lost: ConnectionError): Promise<object | undefined> {
  const { caller, view, call, name, namespace, beganMs } = creation
  const { resource } = view
  const target = objectTarget(view, { name, namespace } as ObjectKey)
  // Whole, whatever the view is: to compare takes what a view may leave out.
  const whole = readAs(view, isExact(view) ? 'exact' : 'full')
  const object = (await getOne(caller, whole, target, {}, bound).catch(error => {
    throw certain(error, lost, bound)
  })) as KubernetesObject | undefined
  if (object === undefined || isOutcomeOf(call.body as KubernetesObject, object, beganMs)) return object
  const message = `${resource.plural} "${name}" already exists, and is not what was sent (the create's answer was lost: ${lost.message})`
  const details = { name, group: resource.group, kind: resource.plural, uid: object.metadata?.uid }
  throw new ApiError({ status: 409, reason: 'AlreadyExists', message, details }, { ...target, method: 'POST' })
}

/** Once an answer was lost, that no connection comes about says nothing of what was processed: the loss does. */
function certain(error: unknown, lost: ConnectionError | undefined, { signal }: Bound): unknown {
  return lost !== undefined && error instanceof ConnectionError && !signal.aborted ? lost : error
}

function isLost(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError && !error.unprocessed && brokeOff.has(error.code)
}

const brokeOff: ReadonlySet<string> = new Set(['CONNECTION_LOST', 'PING_TIMEOUT', 'STREAM_RESET', 'HEADERS_TOO_LARGE'])
