import {
  type ApiError,
  type CheckedKey,
  type Client,
  type FullObject,
  isApiError,
  isConflict,
  isForbidden,
  isInvalid,
  isServerError,
  type KubernetesObject,
  type ObjectKey,
  OptionTypeError,
  type Scope,
  type View,
} from '@wherry/client'
import {
  anySignal,
  apiVersionOf,
  checkOptions,
  fieldManager as fieldManagerCheck,
  isExact,
  projector,
  readAs,
  resourceName,
} from '@wherry/client/internal'
import { hash } from '@wherry/hash-compare'
import type { RecordedEvent } from '../events/event-recorder.ts'
import { isNamespaceTerminating } from '../objects/namespace-terminating.ts'
import { noPrimary } from '../objects/no-primary.ts'
import { AlreadyOwnedError, ownerReference, withOwner } from '../objects/owner.ts'
import { readByName } from '../objects/read-by-name.ts'
import { traceAnnotation } from '../objects/traceparent.ts'
import { everything } from '../objects/views.ts'
import { pathsChangedFrom } from '../predicates/changes.ts'
import { absentId, type Run } from '../reads/run.ts'
import { UsageError } from '../usage-error.ts'
import { type AppliedObject, type AppliedObjects, applyState } from './applied-object.ts'
import { applyEmptying } from './apply-emptying.ts'
import { newLists, replacedLists } from './atomic-lists.ts'
import { changedBy } from './changed-by.ts'
import { checkDesired } from './check-desired.ts'
import type { ControllerApplies } from './controller-applies.ts'
import {
  ApplyDelayedError,
  ApplyRefusedError,
  FlappingError,
  ImmutableFieldError,
  NotAbsentError,
  NotOursError,
} from './errors.ts'
import { isAsDesired, ownedDigest, ownsNothing } from './judge.ts'
import { migrateManagedFields } from './migrate-managed-fields.ts'
import { isSecret, keepFields, notBoth, onceFields, ownsAny, withoutFields } from './once.ts'
import { type Applied, type DesiredOptions, desiredChecks } from './options.ts'
import { objectId } from './own-events.ts'
import { place } from './placed.ts'
import type { RunApplies } from './run-applies.ts'

/** The run that an apply belongs to. */
export interface ApplyFor {
  readonly shared: ControllerApplies
  /** The cached form of the applied objects, or of the applied statuses. */
  readonly objects: AppliedObjects
  readonly client: Client
  readonly key: string
  readonly owner: KubernetesObject
  readonly signal: AbortSignal
  readonly run: Pick<Run, 'writing' | 'absent'>
  readonly applied: RunApplies
  /** Makes the key run again after a time, in milliseconds, for an object. */
  again(afterMs: number, object: string): void
  /** Records a warning about the primary object. */
  warn(reason: string, message: string): void
  /** Records an event about the primary object. */
  record(event: RecordedEvent): void
  /** The trace annotation of applied objects; `undefined` if the run is not traced. */
  traceparent(): string | undefined
  /** The `metadata.generation` of the primary object that the run has; `undefined` if its view does not keep it. */
  readonly generation: number | undefined
  /** Reports that another client changes applied fields back. */
  fights(
    object: { readonly view: View; readonly key: string; readonly paths: readonly string[] },
    managers: readonly string[],
  ): void
}

/** The maximum number of fields in a message about fields that another manager changes back. */
const mostPaths = 5

/** The default manager of clients. It does not identify a program. */
const nameless = 'wherry'

export async function applyDesired<T extends KubernetesObject, S extends Scope>(
  about: ApplyFor,
  view: View<T, S>,
  desired: FullObject<T>,
  given: DesiredOptions = {},
): Promise<Applied<T>> {
  try {
    return await applyChecked(about, view, desired, given)
  } catch (error) {
    // Also if the desired object or an option is wrong: a prune would delete the object that an earlier run has applied.
    about.applied.refused()
    throw error
  }
}

async function applyChecked<T extends KubernetesObject, S extends Scope>(
  about: ApplyFor,
  view: View<T, S>,
  desired: FullObject<T>,
  given: DesiredOptions,
): Promise<Applied<T>> {
  checkOptions('apply', given, desiredChecks)
  checkDesired(desired)
  const { shared, owner, objects } = about
  const { primary } = shared
  const options = primary === noPrimary ? withoutOwner(given) : given
  const { fieldManager = objects.manager } = options
  const plain = view as unknown as View
  const { object, key } = place(primary, owner, plain, desired)
  const isPrimary = resourceName(plain.resource) === resourceName(primary.resource) && key.text === about.key
  const body = owned(about, object, isPrimary ? false : options.owner)
  const task = {
    ...{ view: plain, key, isPrimary },
    bodyOf: () => body,
    objects: objects.by(fieldManager),
  }
  const fields = onceFields(plain, desired, options.once ?? [])
  if (fields.length > 0) fieldManagerCheck('apply.fieldManager, with /once', `${fieldManager}/once`)
  about.applied.mayApply(plain, key.text)
  const apply = (): Promise<Applied<unknown>> =>
    fields.length === 0 ? new Application(about, task, options).run() : applyOnce(about, task, options, fields)
  return (await about.applied.note(objectId(plain, key.text), apply)) as Applied<T>
}

/** Applies a desired object with fields that are only set when the object is created. */
async function applyOnce(
  about: ApplyFor,
  task: Task,
  options: DesiredOptions,
  fields: readonly (readonly string[])[],
): Promise<Applied<unknown>> {
  const { view, key, objects } = task
  notBoth(options.only, options.once)
  let isOwner = false
  const seen = (object: AppliedObject): void => {
    isOwner = ownsAny(object, fields)
  }
  const made = await new Application(about, { ...task, seen, written: seen }, { ...options, only: 'create' }).run()
  if (!['created', 'unchanged'].includes(made.outcome)) return made
  const named = key as ObjectKey & CheckedKey
  if (isOwner) await keepFields(about, full(everything(view)), named, fields, objects.manager)
  // If the object was deleted meanwhile, it is created with all fields, and the next run keeps them.
  const bodyOf = (object: AppliedObject | undefined): KubernetesObject =>
    object === undefined ? task.bodyOf(object) : withoutFields(typed(view, task.bodyOf(object)), fields)
  const kept = await new Application(about, { ...task, bodyOf }, options).run()
  return made.outcome === 'created' && kept.outcome === 'updated' ? { ...kept, outcome: 'created' } : kept
}

/** Applies a body that depends on the existing object. */
export async function applyBody(about: ApplyFor, task: Task, options: DesiredOptions): Promise<Applied<unknown>> {
  return new Application(about, task, options).run()
}

/** Without primary objects nothing can own the applied objects. */
function withoutOwner(options: DesiredOptions): DesiredOptions {
  const { owner = false } = options
  if (owner === false) return { ...options, owner }
  throw new OptionTypeError('apply.owner', 'false in a controller without primary objects', 'an owner')
}

/** The desired object with its owner. */
function owned(
  { shared, owner: of }: ApplyFor,
  object: KubernetesObject,
  owner: DesiredOptions['owner'] = true,
): KubernetesObject {
  if (owner === false) return object
  const { metadata } = object
  const reference = ownerReference(shared.primary, of, metadata?.namespace, owner === true ? {} : owner)
  return { ...object, metadata: { ...metadata, ownerReferences: withOwner(metadata?.ownerReferences, reference) } }
}

/** When a key tries again to write into a namespace that is being deleted, in milliseconds. */
const terminatingMs = 10_000

/** No object ever has this version: the apply can only create. */
const onlyCreates = { resourceVersion: '1' }

const unsent = { object: undefined, retryAfterMs: undefined, refusal: undefined }

/** The object that is to be made as desired. */
export interface Task {
  readonly view: View
  readonly key: CheckedKey
  /** The object to send, given the existing object. */
  bodyOf(seen: AppliedObject | undefined): KubernetesObject
  readonly objects: AppliedObjects
  /** The object is the primary object itself, so its owner does not matter. */
  readonly isPrimary: boolean
  /** The object is written even if it differs only in times, or not at all. @default false */
  readonly isTimed?: boolean | undefined
  /** Receives the existing object. */
  seen?(object: AppliedObject): void
  /** Receives the server's answer. */
  written?(object: AppliedObject): void
}

/** Applies one object, or the status of one object. */
class Application {
  readonly #about: ApplyFor
  readonly #shared: ControllerApplies
  readonly #task: Task
  readonly #options: DesiredOptions
  readonly #view: View
  readonly #signal: AbortSignal
  readonly #key: ObjectKey
  /** `namespace/name` */
  readonly #name: string
  #body: KubernetesObject = {}
  /** The limiter has admitted the write. One apply asks it once, however many requests the apply takes. */
  #isAdmitted = false
  /** The object in the server's answer. */
  #written: AppliedObject | undefined

  constructor(about: ApplyFor, task: Task, options: DesiredOptions) {
    this.#about = about
    this.#shared = about.shared
    this.#task = task
    this.#options = options
    this.#view = task.view
    this.#key = task.key as ObjectKey
    this.#name = task.key.text
    this.#signal = options.signal === undefined ? about.signal : anySignal(options.signal, about.signal)
  }

  async run(): Promise<Applied<unknown>> {
    const view = await this.#seenIn()
    const { owner = true } = this.#options
    const isObserved = !this.#task.isPrimary && typeof owner === 'boolean' && this.#shared.isObserved(view, owner)
    return this.#writing(view, isObserved, seen => this.#bring(seen, false))
  }

  /**
   * Reads the object as a view has it, does a write, and reports the result to the tracked read.
   * @param isObserved whether the owner's key runs for each change of the object
   */
  async #writing(
    view: View<AppliedObject>,
    isObserved: boolean,
    bring: (seen: AppliedObject | undefined) => Promise<Applied<unknown>>,
  ): Promise<Applied<unknown>> {
    const { run, key } = this.#about
    const { object, settle } = await run.writing(view, this.#task.key, applyState, this.#options.signal)
    let isDone = false
    try {
      const applied = await bring(object)
      isDone = !['delayed', 'refused', 'deleting'].includes(applied.outcome)
      if (applied.outcome === 'created') this.#noteCreation(view)
      return applied
    } catch (error) {
      if (error instanceof ApplyDelayedError) throw error
      const { limiter } = this.#shared
      if (error instanceof NotOursError) limiter.leftAlone(key, this.#id)
      else limiter.refused(key, this.#id, error)
      if (!isNamespaceTerminating(error)) throw error
      // This is no failure: the namespace takes no new objects, and its objects are deleted with it, in most cases the primary object too.
      this.#about.again(terminatingMs, `${this.#name} of ${this.#view.key}`)
      throw new ApplyDelayedError(this.#view.key, this.#name, terminatingMs, error)
    } finally {
      settle(this.#written, isObserved && isDone)
    }
  }

  /** Checks the new object later: if it is deleted before the informer has seen it, no watch reports that. */
  #noteCreation(seenIn: View<AppliedObject>): void {
    const shared = this.#shared
    const [view, key, by] = [this.#view, this.#name, this.#about.key]
    const isShown = (): boolean => shared.isShown(view, key)
    // A single object has a watch of its own, and its entry reports the deletion.
    if (!shared.isWatched(seenIn) || isShown()) return
    shared.unseen.note(objectId(view, key), { view, key, by, isShown })
  }

  /** The view of the informer that has the object. If there is none, the object is watched by its name, which shows it even if the view does not select it. */
  async #seenIn(): Promise<View<AppliedObject>> {
    const { objects } = this.#about
    const { namespace } = this.#task.key
    // The owned view may have one namespace, and the applied view several.
    const within = namespace === undefined ? [] : [{ ...this.#view, namespaces: [namespace] }]
    for (const view of this.#task.objects === objects ? [this.#view, ...within] : []) {
      const applied = this.#task.objects.view(this.#shared.narrow(view))
      if (!(await this.#shared.isCached(applied, this.#signal))) continue
      if (this.#shared.isUnlabelled(applied as unknown as View, this.#name, this.#id)) break
      return applied
    }
    return this.#task.objects.view(everything(this.#view))
  }

  /** Makes the object as desired. @param seen the object as it is now @param isRead whether it was read by its name */
  async #bring(seen: AppliedObject | undefined, isRead: boolean): Promise<Applied<unknown>> {
    this.#body = typed(this.#view, this.#task.bodyOf(seen))
    if (seen === undefined) return this.#create(isRead)
    this.#task.seen?.(seen)
    const isStatus = this.#task.objects.subresource === 'status'
    if (seen.metadata.deletionTimestamp !== undefined && !isStatus) return { ...unsent, outcome: 'deleting' }
    const { run } = this.#about
    if (run.absent.has(absentId(this.#view, this.#name))) throw new NotAbsentError(this.#view.key, this.#name)
    this.#mustBeOurs(seen)
    const { limiter, normalized } = this.#shared
    const isKept = this.#options.only === 'create' || (ownsNothing(this.#body) && seen.owned === undefined)
    const isKnown = this.#task.isTimed !== true && normalized.knows(this.#body, seen.owned)
    if (isKept || this.#isAsDesired(seen) || isKnown) {
      limiter.asDesired(this.#about.key, this.#id)
      return { ...unsent, outcome: 'unchanged' }
    }
    await this.#keepLists(seen)
    const delayed = await this.#delay(seen)
    if (delayed !== undefined) return delayed
    await this.#fold(seen)
    try {
      return await this.#send({ uid: seen.metadata.uid }, seen.metadata.resourceVersion)
    } catch (error) {
      return this.#remake(seen, error)
    }
  }

  /**
   * Deletes the object and creates it again, if `whenImmutable` says so and the server would accept the new object.
   * @throws the refusal, or an ImmutableFieldError if a new object would help and `whenImmutable` is `fail`
   */
  async #remake({ metadata, controller }: AppliedObject, refusal: unknown): Promise<Applied<unknown>> {
    const { client, owner } = this.#about
    const isOurs = controller !== undefined && controller.uid === owner.metadata?.uid
    if (!isInvalid(refusal) || !isOurs || this.#task.objects.subresource === 'status') throw refusal
    if (!(await this.#couldBeMade())) throw refusal
    const { whenImmutable = 'fail' } = this.#options
    if (whenImmutable === 'fail') {
      throw new ImmutableFieldError(this.#view.key, this.#name, refusal as ApiError)
    }
    const preconditions = { uid: metadata.uid }
    await client.delete(this.#whole, this.#key, {
      preconditions,
      propagationPolicy: whenImmutable === 'recreate' ? 'Background' : 'Orphan',
      signal: this.#signal,
    })
    try {
      return await this.#send(onlyCreates, undefined)
    } catch (error) {
      // A finalizer keeps the object. The key runs when the object is gone.
      if (!isConflict(error)) throw error
      return { ...unsent, outcome: 'deleting' }
    }
  }

  /** Returns whether the server would create the desired object: a dry run creates it under another name. */
  async #couldBeMade(): Promise<boolean> {
    const { name, ...metadata } = this.#body.metadata ?? {}
    const another = { ...this.#body, metadata: { ...metadata, generateName: `${`${name}`.slice(0, 40)}-` } }
    try {
      await this.#about.client.create(this.#whole, another as never, { dryRun: true, signal: this.#signal })
      return true
    } catch (error) {
      if (isInvalid(error) || isForbidden(error) || isConflict(error)) return false
      throw error
    }
  }

  async #create(isRead: boolean): Promise<Applied<unknown>> {
    const delayed = await this.#delay(undefined)
    if (delayed !== undefined) return delayed
    try {
      return await this.#send(onlyCreates, undefined)
    } catch (error) {
      if (isRead || !isConflict(error)) throw error
      return this.#bringUnseen(error)
    }
  }

  /** Makes an existing object as desired that the informer does not have, because it is new or the view does not select it. Reads it by its name. */
  async #bringUnseen(conflict: unknown): Promise<Applied<unknown>> {
    // The object blocks the name, or gets the labels of the view. In both cases the key must receive its changes.
    const view = this.#task.objects.view(everything(this.#view))
    return this.#writing(view, false, async seen => {
      if (seen === undefined) throw conflict
      if (this.#shared.narrow(this.#view) !== this.#view) this.#shared.noteUnlabelled(this.#id)
      return this.#bring(seen, true)
    })
  }

  #isAsDesired({ owned }: AppliedObject): boolean {
    return this.#task.isTimed !== true && isAsDesired(owned, this.#body, this.#task.objects.times)
  }

  /** @throws AlreadyOwnedError, NotOursError */
  #mustBeOurs({ metadata, controller, owned, writers = [] }: AppliedObject): void {
    const { owner = true, adopt = owner === false } = this.#options
    const { uid } = this.#about.owner.metadata ?? {}
    if (this.#task.isPrimary || controller?.uid === uid) return
    if (controller !== undefined && owner !== false) throw new AlreadyOwnedError(controller)
    const isAdopted = typeof adopt === 'object' ? adopt.uid === metadata.uid : adopt
    if (owned === undefined && !isAdopted) throw new NotOursError(this.#view.key, this.#name, writers)
  }

  /** Gives this manager the fields that former versions of the operator wrote. */
  async #fold({ metadata, owned, writers = [], controller: owner }: AppliedObject): Promise<void> {
    if (owned !== undefined) return
    const { formerManagers = [] } = this.#options
    const { manager, subresource } = this.#task.objects
    // Users write the primary object, maybe by a client of the same name. Only its status belongs to the operator.
    const isMade = subresource === 'status' || owner?.uid === this.#about.owner.metadata?.uid
    const { fieldManager: own } = this.#about.client
    const known = [manager, ...formerManagers, ...(isMade && own !== nameless ? [own] : [])]
    const managers = writers.filter(one => known.includes(one))
    if (managers.length === 0) return
    const about = { uid: metadata.uid, manager, managers, subresource, signal: this.#signal }
    const { client } = this.#about
    try {
      await migrateManagedFields(client, this.#whole, this.#key, about)
    } catch (error) {
      // An operator that writes only statuses may lack the right to patch the object. The fields then stay with the former manager.
      if (!isForbidden(error) || subresource === '') throw error
      const context = { phase: `status ${this.#shared.controller}`, resource: this.#view.key }
      this.#shared.once('fold', () => client.environment.onError(error, context))
    }
  }

  /**
   * Checks the first apply of each list that the server takes as one value: it would remove the items of others.
   * @throws UsageError for such a list, unless `replaceLists` is set
   */
  async #keepLists(seen: AppliedObject): Promise<void> {
    const { force = true, replaceLists = false, formerManagers = [] } = this.#options
    const { manager, subresource } = this.#task.objects
    if (replaceLists || !force || subresource === 'status') return
    const lists = newLists(this.#body, seen.owned?.fields)
    if (lists.length === 0) return
    const { client } = this.#about
    const live = await readByName(client, this.#whole, this.#key, { signal: this.#signal }).catch(error => {
      // Without the right to read the object, the check is left out.
      if (isForbidden(error)) return undefined
      throw error
    })
    if (live === undefined || live.metadata?.uid !== seen.metadata.uid) return
    const own = new Set([manager, `${manager}/once`, client.fieldManager, ...formerManagers])
    const [list] = replacedLists(lists, this.#body, live, one => own.has(one))
    if (list === undefined) return
    const { path, managers, lost } = list
    const what = `${path} of ${this.#name} of ${this.#view.key} is one value for the server, and ${lost} of its items, of ${managers.join(', ')}, are not in the desired list`
    throw new UsageError(
      'SHARED_LIST',
      `${what}: leave ${path} out and add to it by client.modify, or replace it with { replaceLists: true }`,
    )
  }

  /** Sends the apply. @param condition metadata that the server checks @param before the resourceVersion that the object had */
  async #send(condition: object, before: string | undefined): Promise<Applied<unknown>> {
    const { client, key } = this.#about
    const isStatus = this.#task.objects.subresource === 'status'
    const over = this.#shared.ownEvents.begin(objectId(this.#view, this.#name), key, isStatus)
    let version: string | undefined
    const { force = true, fieldValidation, timeoutMs } = this.#options
    const traceparent = isStatus ? undefined : this.#about.traceparent()
    const annotations = traceparent !== undefined && { [traceAnnotation]: traceparent }
    const { metadata = {} } = this.#body
    const traced = annotations && { annotations: { ...metadata.annotations, ...annotations } }
    const object = { ...this.#body, metadata: { ...metadata, ...traced, ...condition } }
    const options = {
      force,
      fieldManager: this.#task.objects.manager,
      fieldValidation,
      timeoutMs,
      signal: this.#signal,
    }
    try {
      const writer = isStatus ? client.status : client
      const answer = await applyEmptying(writer, full(this.#view), object, before, options)
      const written = this.#task.objects.of(answer)
      this.#written = written
      version = written.metadata.resourceVersion
      this.#shared.normalized.learn(this.#body, written.owned, this.#task.objects.times)
      // The event of this write does not make the key run, so the time in which nobody undoes the write begins here.
      this.#shared.limiter.asDesired(key, this.#id)
      this.#shared.limiter.written(this.#id, this.#task.objects.manager, written.owned && ownedDigest(written.owned))
      this.#task.written?.(written)
      const isChanged = written.metadata.resourceVersion !== before
      this.#about.run.absent.delete(absentId(this.#view, this.#name))
      const outcome = before === undefined ? 'created' : isChanged ? 'updated' : 'unchanged'
      return { ...unsent, outcome, object: projector(this.#view)(answer as object) }
    } finally {
      over(version)
    }
  }

  /**
   * Asks the limiter. Returns `undefined` if the write may be sent now; the limiter has then counted it.
   * @throws ApplyDelayedError, unless `onDelay` is `resolve`
   */
  async #delay(seen: AppliedObject | undefined): Promise<Applied<unknown> | undefined> {
    if (this.#isAdmitted) return undefined
    const { key, again } = this.#about
    const { limiter } = this.#shared
    const { manager } = this.#task.objects
    const digest = hash(this.#body, { integers: 'bigint' })
    const write = { key, object: this.#id, digest, manager, owned: seen?.owned && ownedDigest(seen.owned) }
    const waitMs = limiter.admit(write)
    if (waitMs === 0) {
      this.#isAdmitted = true
      return undefined
    }
    again(waitMs, `${this.#name} of ${this.#view.key}`)
    const { isNews, refusal } = limiter.delayed(write)
    if (isNews && !isNamespaceTerminating(refusal)) await this.#report(waitMs, refusal)
    if (this.#options.onDelay !== 'resolve') {
      throw new ApplyDelayedError(this.#view.key, this.#name, waitMs, refusal)
    }
    return { ...unsent, outcome: refusal === undefined ? 'delayed' : 'refused', retryAfterMs: waitMs, refusal }
  }

  /** Reports once why writes of the object are delayed: the server refuses them, or others undo them. */
  async #report(delayMs: number, refusal: unknown): Promise<void> {
    const { client, key, warn, fights } = this.#about
    const { controller, limiter } = this.#shared
    const { environment } = client
    const context = { phase: `apply ${controller}`, resource: this.#view.key, key }
    if (refusal !== undefined) {
      const error = new ApplyRefusedError({ view: this.#view.key, key: this.#name, delayMs }, refusal)
      environment.onError(error, context)
      // A failing server refuses the writes of all keys. An event for each key would only add load.
      if (isApiError(refusal) && !isServerError(refusal)) warn('ApplyRefused', error.message)
      return
    }
    const reading = readByName(client, this.#whole, this.#key, { signal: this.#signal })
    const read = await reading.then(
      object => ({ object }),
      () => undefined,
    )
    const live = read?.object
    const { manager, subresource } = this.#task.objects
    const changed = live === undefined ? [] : changedBy(live, this.#body, subresource)
    const error = new FlappingError({
      ...{ view: this.#view.key, key: this.#name, delayMs, isGone: read !== undefined && live === undefined },
      managers: changed.filter(one => one !== manager),
      keys: limiter.rivals(key, this.#id),
      sameManager: changed.includes(manager) ? manager : undefined,
    })
    environment.metrics.count('wherry_apply_flapping_total', { controller })
    environment.onError(error, context)
    warn('FieldFight', error.message)
    const paths = live === undefined ? [] : pathsChangedFrom(this.#body, live, mostPaths)
    if (live === undefined || paths.length > 0) fights({ view: this.#view, key: this.#name, paths }, changed)
  }

  /** The view without its selectors, of whole objects. */
  get #whole(): View<KubernetesObject> {
    return full(everything(this.#view))
  }

  /** The object's name for the limiter: the same for all views of the object. */
  get #id(): string {
    const { subresource } = this.#task.objects
    return `${objectId(this.#view, this.#name)}${subresource && ` ${subresource}`}`
  }
}

/** The view's objects with their managed fields. */
function full(view: View): View<KubernetesObject> {
  return readAs(view, isExact(view) ? 'exact' : 'full')
}

/** The object with its type; a Secret's `stringData` as the server stores it. */
function typed(view: View, object: KubernetesObject): KubernetesObject {
  const { kind } = view.resource
  const { stringData, ...rest } = object as KubernetesObject & { readonly stringData?: Record<string, string> }
  const body = { apiVersion: apiVersionOf(view.resource), kind, ...rest }
  if (!isSecret(view) || stringData === undefined) return { ...body, ...(stringData && { stringData }) }
  const encoded = Object.entries(stringData).flatMap(([name, text]: [string, string | undefined]) =>
    text === undefined ? [] : [[name, Buffer.from(text).toString('base64')]],
  )
  return {
    ...body,
    data: { ...(object as { data?: object }).data, ...Object.fromEntries(encoded) },
  } as KubernetesObject
}
