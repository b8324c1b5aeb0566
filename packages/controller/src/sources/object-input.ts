import type { View } from '@wherry/client'
import type { Handler, SharedInformer } from '@wherry/informer'
import type { Tell } from '../apply/own-events.ts'
import type { Cause, CauseChange } from '../controller/cause.ts'
import { versionOf } from '../objects/version.ts'
import type { ObjectEvent } from '../predicates/event.ts'
import type { Predicate } from '../predicates/predicate.ts'
import { type Input, type InputConnection, type InputTarget, mapped, passes, type Telling, tellingOf } from './input.ts'
import { isAbsentByChoice, unlessAbsent } from './unless-absent.ts'

/** Of what the keys are, and who is told of what went wrong. */
interface KeysTarget extends Pick<InputTarget, 'primary'> {
  readonly environment: Telling
}

/** What an {@link ObjectInput} is made of. */
export interface ObjectInputParts<C> {
  readonly kind: 'for' | 'owns' | 'watches' | 'caches'
  readonly view: View
  /** The view that is watched. @default `view` */
  watched?(target: Pick<InputTarget, 'applied'>): View<C>
  readonly predicates: readonly Predicate<ObjectEvent<C>>[]
  /** The keys that an object means. May throw. */
  keysOf(object: C, key: string, target: KeysTarget): readonly string[]
  /** Hears the events in place of `keysOf` and the predicates, and enqueues keys itself. @default none */
  handler?(target: InputTarget, informer: SharedInformer<C>): Handler<C>
}

/**
 * A view whose objects make keys run (rule C4). It hears a registration, so old and new at once: where the two mean different
 * keys, both run.
 */
export class ObjectInput<C> implements Input {
  readonly name: string
  readonly view: View
  readonly isOwned: boolean
  readonly keepsValues: boolean
  readonly hearsUnowned: boolean
  readonly #parts: ObjectInputParts<C>

  constructor(parts: ObjectInputParts<C>) {
    this.#parts = parts
    this.view = parts.view
    this.isOwned = parts.kind === 'owns'
    this.keepsValues = this.isOwned && parts.predicates.length > 0
    this.hearsUnowned = this.isOwned && parts.handler !== undefined
    this.name = `${parts.kind} ${parts.view.key}`
  }

  connect(target: InputTarget): InputConnection {
    const { predicates, kind } = this.#parts
    const view = this.#parts.watched?.(target) ?? (this.view as View<C>)
    const { primary } = target
    const environment = tellingOf(view, target.environment)
    const about = { primary, environment }
    const hold = target.cache.hold(view, `controller/${target.controller}`)
    const informer: SharedInformer<C> = hold.informer
    const passing = (event: ObjectEvent<C>): boolean =>
      predicates.length === 0 || passes(predicates, event, environment, this.name)
    const heard = (): void => {
      if (kind === 'for') target.heard()
    }
    const unlessOwn = (key: string, object: C, tell: Tell): void => {
      if (kind === 'owns') target.unlessOwn(this.view, key, object, tell)
      else tell(undefined)
    }
    const handler: Handler<C> = {
      add: (object, { key, isInInitialList }) => {
        heard()
        if (!passing({ type: 'add', key, object, isInInitialList })) return
        const cause = this.#cause(isInInitialList ? 'initial' : 'added', key, undefined, object)
        unlessOwn(key, object, by => {
          for (const one of this.#keys(object, key, about)) if (one !== by) target.enqueue(one, cause, isInInitialList)
        })
      },
      update: (object, old, { key }) => {
        heard()
        if (!passing({ type: 'update', key, object, old })) return
        const cause = this.#cause('updated', key, old, object)
        unlessOwn(key, object, by => {
          const now = this.#keys(object, key, about)
          const before = kind === 'for' ? [] : this.#keys(old, key, about)
          for (const one of new Set([...now, ...before])) if (one !== by) target.enqueue(one, cause, false)
        })
      },
      delete: (object, { key, finalStateUnknown }) => {
        heard()
        if (kind === 'for') target.gone(key, object)
        else if (!passing({ type: 'delete', key, object, finalStateUnknown })) return
        const cause = this.#cause('deleted', key, object, undefined)
        for (const one of this.#keys(object, key, about)) target.enqueue(one, cause, false)
      },
    }
    const own = this.#parts.handler?.(target, informer) ?? handler
    const registration = informer.addHandler(kind === 'caches' ? { add: () => {} } : own)
    const { clock } = target.environment
    return {
      synced: signal =>
        unlessAbsent(
          ended => registration.whenSynced({ signal: ended }),
          () => isAbsentByChoice(informer),
          clock,
          signal,
        ),
      get lastError() {
        return informer.lastError
      },
      close: async () => {
        registration.remove()
        await hold.release().catch(error => target.environment.onError(error, { phase: this.name }))
      },
    }
  }

  #keys(object: C, key: string, of: KeysTarget): readonly string[] {
    const about = { phase: this.name, resource: this.view.key, key }
    return mapped(() => this.#parts.keysOf(object, key, of), of.environment, about)
  }

  #cause(change: CauseChange, key: string, old: C | undefined, object: C | undefined): Cause {
    return {
      source: this.#parts.kind,
      change,
      view: this.view.key,
      object: key,
      from: versionOf(old),
      to: versionOf(object),
    }
  }
}
