import type { ChangeType } from '@wherry/client'
import { checkOptions, compareResourceVersions, flag, oneOf } from '@wherry/client/internal'
import type { Entry } from '../entries/entry.ts'
import { identityOf, isSameState } from '../entries/identity.ts'
import { WriterId } from '../entries/writer-id.ts'
import { ListSnapshot, type SnapshotSource, type SnapshotWriter } from './list-snapshot.ts'
import type { ReplaceOptions, Snapshot, StoreWriter } from './store-writer.ts'

const checkType = oneOf('ADDED', 'MODIFIED', 'DELETED')

/** The methods of a store that its writers call. */
export interface WriterTarget<C> extends SnapshotSource<C> {
  nextMark(): number
  change(type: ChangeType, object: object, bytes: number, writer: SourceWriter<C>): void
  commit(snapshot: ListSnapshot<C>, writer: SourceWriter<C>): void
  progress(writer: SourceWriter<C>, resourceVersion: string | undefined): void
  clear(writer: SourceWriter<C>): void
  closed(writer: SourceWriter<C>, forget: boolean): void
}

/** The writer of one source (a list and watch) of a store. */
export class SourceWriter<C> extends WriterId implements StoreWriter, SnapshotWriter<C> {
  readonly target: WriterTarget<C>
  /** The objects of a staged writer, which are not published; `undefined` after the promotion. */
  staged: Map<string, Entry<C>> | undefined
  synced = false
  /** The resourceVersion of the last list or, while the writer is staged, of the last event or bookmark. */
  reached: string | undefined
  #snapshot: ListSnapshot<C> | undefined

  constructor(target: WriterTarget<C>, key: string | undefined, isStaged: boolean) {
    super(key)
    this.target = target
    this.staged = isStaged ? new Map() : undefined
  }

  replace(options: ReplaceOptions = {}): Snapshot {
    checkOptions('replace', options, { reuse: flag })
    this.#snapshot?.drop()
    this.#snapshot = new ListSnapshot(this.target, this, this.target.nextMark(), options.reuse ?? true)
    return this.#snapshot
  }

  committed(snapshot: ListSnapshot<C>, resourceVersion: string | undefined): void {
    if (this.#snapshot === snapshot) this.#snapshot = undefined
    if (this.staged === undefined) {
      this.reached = resourceVersion
      this.target.commit(snapshot, this)
      // The newest state settles everything, even if it is older than the store (rule R5).
      this.target.progress(this, snapshot.reuse ? resourceVersion : undefined)
      return
    }
    // A list may be older than the state before.
    this.reached = resourceVersion ?? newestOf(snapshot.pending.values())
    this.staged = snapshot.pending
    this.synced = true
  }

  change(type: ChangeType, object: object, bytes: number): void {
    if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') checkType('type', type)
    if (!this.isOpen) return
    if (this.staged === undefined) this.target.change(type, object, bytes, this)
    else this.#stage(this.staged, type, object, bytes)
  }

  progress(resourceVersion: string | undefined): void {
    if (!this.isOpen || resourceVersion === undefined) return
    if (this.staged === undefined) this.target.progress(this, resourceVersion)
    else if (compareResourceVersions(resourceVersion, this.reached) !== 'older') this.reached = resourceVersion
  }

  clear(): void {
    if (!this.isOpen) return
    if (this.staged === undefined) this.target.clear(this)
    else this.staged = new Map()
  }

  close(options: { readonly forget?: boolean | undefined } = {}): void {
    if (!this.isOpen) return
    checkOptions('close', options, { forget: flag })
    this.#snapshot?.drop()
    this.isOpen = false
    this.target.closed(this, options.forget ?? false)
    this.staged = undefined
  }

  #stage(staged: Map<string, Entry<C>>, type: ChangeType, object: object, bytes: number): void {
    const identity = identityOf(object)
    const { key, resourceVersion } = identity
    const held = staged.get(key)
    if (type === 'DELETED') staged.delete(key)
    else if (held === undefined || !isSameState(held, identity)) {
      staged.set(key, this.target.received(object, identity, bytes))
    }
    this.progress(resourceVersion)
  }
}

function newestOf<C>(entries: Iterable<Entry<C>>): string | undefined {
  let newest: string | undefined
  for (const { resourceVersion } of entries) {
    if (newest === undefined || compareResourceVersions(resourceVersion, newest) === 'newer') newest = resourceVersion
  }
  return newest
}
