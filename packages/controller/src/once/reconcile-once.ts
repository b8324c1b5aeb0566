import { Client, type KubernetesObject, OptionRangeError } from '@wherry/client'
import { parsedKey, systemClock } from '@wherry/client/internal'
import type { WatchManager } from '@wherry/watch-manager'
import { Controller } from '../controller/controller.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import type { SourceNotSyncedError } from '../controller/errors.ts'
import type { Outcome } from '../controller/key-state.ts'
import type { ReconcileResult } from '../controller/result.ts'
import type { RunRecords } from '../controller/run-records.ts'
import type { Operator } from '../operator/operator.ts'
import type { NotSettledError } from '../operator/settled.ts'
import type { Dependency } from '../reads/dependency.ts'
import { DeclaringOperator } from './declaring-operator.ts'
import { FirstRun, type Ran } from './first-run.ts'
import { controllerNamed, forcing, keyOf, type OneKey } from './one-key.ts'
import { checkOnceOptions, type ReconcileOnceOptions } from './options.ts'
import { type OnceApplied, type OnceEvent, type OnceObject, OnceRecorder } from './recorder.ts'
import { idOf, readAgain, store } from './stored-objects.ts'

/** The result of {@link reconcileOnce}. */
export interface ReconciledOnce {
  /** How the run ended: `success`, `requeue_after`, `waiting` for an object, `delayed`, `error` or `terminal`. */
  readonly outcome: Outcome
  /** The error of the reconcile; `undefined` if it did not throw. */
  readonly error: unknown
  /** The `requeueAfterMs` that the reconcile returned, if it did. */
  readonly requeueAfterMs: number | undefined
  /** The key's dependencies after the run: its tracked reads. */
  readonly read: readonly Dependency[]
  /** The calls of `apply`, in the order of their start. */
  readonly applied: readonly OnceApplied[]
  /** The objects that were deleted, by `prune` or by the client, and are gone. */
  readonly deleted: readonly OnceObject[]
  /** The value of the last call of `status`; `undefined` if there was none. */
  readonly status: unknown
  /** The events that the controller has recorded. Equal events are one. */
  readonly events: readonly OnceEvent[]
  /** The primary object after the run, as the server has it; `undefined` if it is gone, and for a singleton. */
  readonly object: KubernetesObject | undefined
  /** The other objects after the run, as the server has them: those that the options name, and those that the run has applied or written. */
  readonly objects: readonly KubernetesObject[]
}

/**
 * Runs one key of one controller once, and says what the run did: for a unit test of a reconcile. All parts are those of production: the
 * controller with its caches, its tracked reads and its applies, on an embedded API server. The controller's other keys, and other controllers, do
 * nothing. Predicates and debounces do not keep the key from running, and `onGone` and `onLeft` are not called.
 *
 * Does not reject if the reconcile throws: see `error`. Rejects with an {@link OptionTypeError} or an {@link OptionRangeError} for a wrong option, or an
 * object that is not in the view of the controller; with a {@link NotSettledError} that says what the run waits for; and with a {@link SourceNotSyncedError}.
 *
 * @example
 * ```ts
 * import { configMaps, secrets } from '@wherry/client/resources/core'
 * import type { Operator } from '@wherry/controller'
 * import { reconcileOnce } from '@wherry/controller/testing'
 * import { startApiServer } from '@wherry/testing'
 *
 * const declare = (operator: Operator) =>
 *   operator.controller('copy').for(secrets).reconcile(({ key, apply }) => void apply(configMaps, { metadata: { name: key.name } }))
 * await using server = await startApiServer({ sockets: false })
 * const { applied } = await reconcileOnce({ server, declare, object: { metadata: { name: 'db' } } })
 * console.log(applied) // [{ resource: 'v1/configmaps', object: 'default/db', outcome: 'created', desired: … }]
 * ```
 */
export async function reconcileOnce(options: ReconcileOnceOptions): Promise<ReconciledOnce> {
  checkOnceOptions(options)
  const { server, now } = options
  const errors: Error[] = []
  const clock = { ...systemClock(), ...(now !== undefined && { now: () => now.getTime() }) }
  const environment = { clock, onError: (error: Error) => void errors.push(error) }
  const transport = server.transport({ latencyMs: 0, chunking: 'whole' })
  const client = new Client({ url: server.url, token: server.token, transport, environment })
  try {
    return await reconcileBy(client, options, errors)
  } finally {
    await client.close()
    await transport.close()
  }
}

async function reconcileBy(client: Client, options: ReconcileOnceOptions, errors: Error[]): Promise<ReconciledOnce> {
  const { server, declare, objects = [], name = 'operator', timeoutMs = 30_000 } = options
  const recorder = new OnceRecorder()
  await using operator = new DeclaringOperator({ name, client: client.withWriteListeners(recorder.listener) })
  await declare(operator)
  const definition = controllerNamed(operator.definitions, options.controller)
  const key = keyOf(definition, options)
  const given = await store(server, client, objects)
  await store(server, client, key.object === undefined ? [] : [key.object])
  const first = new FirstRun(key.text)
  const forced = forcing(definition, key, recorder.reconcileOf(definition, key.text))
  const controller = controllerOf(operator, forced, first)
  let ran: Ran
  try {
    ran = await first.of(controller, client.environment.clock, timeoutMs, errors)
  } finally {
    // The stop sends the events.
    await controller.stop({ timeoutMs: stopMs })
  }
  const { record, read } = ran
  const { outcome = 'error', error } = record
  if (outcome === 'gone') throw notInView(definition.name, key)
  const primary = key.view && { view: key.view, key: parsedKey(key.view.resource, key.text) }
  const [object] = primary === undefined ? [] : await readAgain(client, [primary])
  const others = [...given, ...recorder.touched].filter(one => primary === undefined || idOf(one) !== idOf(primary))
  const { applied, deleted, status, events, returned } = recorder
  const { requeueAfterMs } = Object(returned) as ReconcileResult
  return {
    ...{ outcome, error, requeueAfterMs, read, applied, deleted, status, events, object },
    objects: await readAgain(client, others),
  }
}

function controllerOf(
  operator: Operator,
  definition: ControllerDefinition<unknown>,
  runs: RunRecords,
): Controller<unknown> {
  const { name, client, cache, narrow } = operator
  const manager = (Manager: typeof WatchManager): WatchManager => {
    const shared = operator.manager(Manager)
    shared.start()
    return shared
  }
  return new Controller(definition, { client, cache, narrow, manager, operator: name, runs })
}

/** How long a run may take to end after its time is over, in milliseconds. */
const stopMs = 1000

function notInView(controller: string, { text, view, object }: OneKey): OptionRangeError {
  const option = `reconcileOnce.${object === undefined ? 'key' : 'object'}`
  const selects =
    view === undefined ? '' : ` (${[String(view.labels), String(view.fields)].filter(Boolean).join(', ')})`
  return new OptionRangeError(option, `an object that the view of the controller ${controller} selects${selects}`, text)
}
