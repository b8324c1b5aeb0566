import { type ChangeType, checkOptions, compareResourceVersions, flag, oneOf } from '@wherry/client/internal'
import type { Entry } from '../entries/entry.ts'
import { type Identity, identityOf, isSameState } from '../entries/identity.ts'
import { Owner } from '../entries/owner.ts'
import type { Intake, Replacement, ReplaceOptions } from './intake.ts'
import { PlainReplacement } from './plain-replacement.ts'

const checkType = oneOf('ADDED', 'MODIFIED', 'DELETED')

/** What an intake needs of its store. */
export interface IntakeTarget<C> {
  readonly entries: ReadonlyMap<string, Entry<C>>
  /** A replacement's mark, never given before. */
  nextMark(): number
  /** What is to be kept of an object; not transformed anew where the store has that very state. */
  receive(object: object, identity: Identity, bytes: number): Entry<C>
  /** The same, but for an object that is what the store has: then `undefined`. */
  receiveAnew(object: object, identity: Identity, bytes: number): Entry<C> | undefined
  change(type: ChangeType, object: object, identity: Identity, bytes: number, intake: PlainIntake<C>): void
  commit(replacement: PlainReplacement<C>, intake: PlainIntake<C>): void
  progress(intake: PlainIntake<C>, resourceVersion: string | undefined): void
  clear(intake: PlainIntake<C>): void
  close(intake: PlainIntake<C>, forget: boolean): void
}

/** One source of a plain store. */
export class PlainIntake<C> implements Intake {
  readonly owner: Owner<C>
  /** What it has gathered, while it publishes nothing. */
  staged: Map<string, Entry<C>> | undefined
  synced = false
  /** Where its last list stood and, while it is staged, how far it has come since. */
  reached: string | undefined
  readonly #target: IntakeTarget<C>
  #replacement: PlainReplacement<C> | undefined

  constructor(target: IntakeTarget<C>, key: string | undefined, isStaged: boolean) {
    this.#target = target
    this.owner = new Owner(key)
    this.staged = isStaged ? new Map() : undefined
  }

  get isOpen(): boolean {
    return this.owner.isOpen
  }

  isOf(target: IntakeTarget<unknown>): boolean {
    return this.#target === target
  }

  replace(options: ReplaceOptions = {}): Replacement {
    checkOptions('replace', options, { reuse: flag })
    this.#replacement?.drop()
    this.#replacement = new PlainReplacement(this.#target, this, options.reuse ?? true)
    return this.#replacement
  }

  /** Called by the replacement. */
  committed(replacement: PlainReplacement<C>, resourceVersion: string | undefined): void {
    if (this.#replacement === replacement) this.#replacement = undefined
    if (this.staged === undefined) {
      this.reached = resourceVersion
      this.#target.commit(replacement, this)
      // The newest state leaves nothing open, be it an older one (rule R5).
      this.#target.progress(this, replacement.reuse ? resourceVersion : undefined)
      return
    }
    // A list says where it stands, be it further back.
    this.reached = resourceVersion ?? newestOf(replacement.pending.values())
    this.#gatherIn(replacement.pending)
    this.synced = true
  }

  change(type: ChangeType, object: object, bytes: number): void {
    if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') checkType('type', type)
    if (!this.isOpen) return
    const identity = identityOf(object)
    if (this.staged === undefined) this.#target.change(type, object, identity, bytes, this)
    else this.#gather(this.staged, type, object, identity, bytes)
    this.progress(identity.resourceVersion)
  }

  progress(resourceVersion: string | undefined): void {
    if (!this.isOpen || resourceVersion === undefined) return
    if (this.staged === undefined) this.#target.progress(this, resourceVersion)
    else if (compareResourceVersions(resourceVersion, this.reached) !== 'older') this.reached = resourceVersion
  }

  clear(): void {
    if (!this.isOpen) return
    if (this.staged === undefined) this.#target.clear(this)
    else this.#gatherIn(new Map())
  }

  close(options: { readonly forget?: boolean | undefined } = {}): void {
    if (!this.isOpen) return
    checkOptions('close', options, { forget: flag })
    this.#replacement?.drop()
    this.owner.isOpen = false
    this.#target.close(this, options.forget ?? false)
    this.#gatherIn(undefined)
  }

  #gather(staged: Map<string, Entry<C>>, type: ChangeType, object: object, identity: Identity, bytes: number): void {
    const held = staged.get(identity.key)
    if (type !== 'DELETED' && held !== undefined && isSameState(held, identity)) return
    if (type === 'DELETED') staged.delete(identity.key)
    else staged.set(identity.key, this.#target.receive(object, identity, bytes))
  }

  /** Lets go of what it has gathered. */
  #gatherIn(staged: Map<string, Entry<C>> | undefined): void {
    this.staged = staged
  }
}

function newestOf<C>(entries: Iterable<Entry<C>>): string | undefined {
  let newest: string | undefined
  for (const { resourceVersion } of entries) {
    if (newest === undefined || compareResourceVersions(resourceVersion, newest) === 'newer') newest = resourceVersion
  }
  return newest
}
