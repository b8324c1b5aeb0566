import type { CheckedKey, KubernetesObject, ObjectKey, View, WriteListener } from '@wherry/client'
import { keyText, resourceName } from '@wherry/client/internal'
import type { Event } from '@wherry/client/resources/core'
import type { Applied, Apply } from '../apply/options.ts'
import { objectId } from '../apply/own-events.ts'
import { place } from '../apply/placed.ts'
import type { Reconcile, ReconcileContext } from '../controller/context.ts'
import { reconciling } from '../controller/current-run.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { primaryView } from '../objects/no-primary.ts'

/** An object that the run has dealt with. */
export interface OnceObject {
  /** `v1/configmaps`, `apps/v1/deployments` */
  readonly resource: string
  /** `namespace/name` */
  readonly object: string
}

/** A call of `apply`. */
export interface OnceApplied extends OnceObject {
  /** The outcome of `apply`. `failed`: it has rejected. */
  readonly outcome: Applied<unknown>['outcome'] | 'failed'
  /** The desired object of the call. */
  readonly desired: KubernetesObject
}

/** An event that the controller has recorded. */
export interface OnceEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  /** The object of the event: `Game default/chess`. */
  readonly about: string
}

/** An object that can be read again. */
export interface Named {
  readonly view: View
  readonly key: ObjectKey
}

/** Runs the reconcile of one key once, and records what it does. The runs of other keys, and further runs of the key, do nothing. */
export class OnceRecorder {
  readonly applied: OnceApplied[] = []
  readonly #events = new Map<string, OnceEvent>()
  readonly #touched = new Map<string, Named>()
  readonly #deleted = new Map<string, OnceObject>()
  #run: unknown
  #returned: unknown
  #status: unknown

  get events(): OnceEvent[] {
    return [...this.#events.values()]
  }

  get deleted(): OnceObject[] {
    return [...this.#deleted.values()]
  }

  /** The objects that the run has applied, written or deleted. */
  get touched(): Named[] {
    return [...this.#touched.values()]
  }

  /** The returned value of the reconcile. */
  get returned(): unknown {
    return this.#returned
  }

  /** The value of the last call of `status`. */
  get status(): unknown {
    return this.#status
  }

  /** The reconcile of a definition, recorded for the first run of a key. */
  reconcileOf({ for: primary, reconcile }: ControllerDefinition<unknown>, key: string): Reconcile<unknown> {
    return async context => {
      if (this.#run !== undefined || keyText(context.key) !== key) return undefined
      this.#run = context
      const result = await reconcile(this.#recorded(context, primaryView(primary) as unknown as View))
      this.#returned = result
      return result
    }
  }

  /** Records the writes and the events of the run. */
  readonly listener: WriteListener = {
    wrote: (view, answer) => {
      const { name = '', namespace } = (answer as KubernetesObject).metadata ?? {}
      if (isEvents(view)) this.#events.set(name, eventOf(answer as Event))
      else if (this.#isRunning) this.#touch(view, { name, namespace } as ObjectKey)
    },
    deleted: (view, key) => {
      if (!this.#isRunning) return
      const { resource } = view
      const object = keyText(key)
      this.#touch(view, key)
      this.#deleted.set(objectId(view, object), { resource: resourceName(resource), object })
    },
  }

  get #isRunning(): boolean {
    return this.#run !== undefined && reconciling.getStore() === this.#run
  }

  #touch(view: View, key: ObjectKey): void {
    this.#touched.set(objectId(view, keyText(key)), { view, key })
  }

  /** The context, with the calls of `apply` and `status` noted. All else is the context's own. */
  #recorded(context: ReconcileContext<unknown>, primary: View): ReconcileContext<unknown> {
    const apply: Apply = (view, desired, options) =>
      this.#noted(primary, context.key, view as unknown as View, desired, () => context.apply(view, desired, options))
    const status: typeof context.status = (value, options) => {
      this.#status = value
      return context.status(value, options)
    }
    const own: Partial<ReconcileContext<unknown>> = { apply, status }
    return new Proxy(context, {
      get: (_, member) =>
        Object.hasOwn(own, member) ? Reflect.get(own, member) : Reflect.get(context, member, context),
    })
  }

  async #noted<T>(
    primary: View,
    of: ObjectKey,
    view: View,
    desired: KubernetesObject,
    apply: () => Promise<Applied<T>>,
  ): Promise<Applied<T>> {
    const key = keyIn(primary, of, view, desired)
    // The list has the order of the calls; a call may end after a later one.
    const at = this.applied.length
    const note = (outcome: OnceApplied['outcome']): void => {
      const object = key?.text ?? String(desired?.metadata?.name)
      this.applied[at] = { resource: resourceName(view.resource), object, outcome, desired }
    }
    note('failed')
    const applied = await apply()
    note(applied.outcome)
    if (key !== undefined) this.#touch(view, { name: key.name, namespace: key.namespace } as ObjectKey)
    return applied
  }
}

/** The key of a desired object; `undefined` if it has none: `apply` then throws the error. */
function keyIn(primary: View, of: ObjectKey, view: View, desired: KubernetesObject): CheckedKey | undefined {
  try {
    return place(primary, { metadata: { ...of } }, view, desired).key
  } catch {
    return undefined
  }
}

function isEvents({ resource: { group, plural } }: View): boolean {
  return group === '' && plural === 'events'
}

function eventOf({ type = '', reason = '', message = '', involvedObject: { kind = '', ...key } }: Event): OnceEvent {
  return { type, reason, message, about: `${kind} ${keyText(key as ObjectKey)}` }
}
