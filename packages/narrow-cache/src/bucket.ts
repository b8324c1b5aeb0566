import type { ReadTarget } from '@wherry/client'
import type { Entry } from './entry.ts'
import { type Escalated, Escalation } from './escalation.ts'
import type { Kind } from './kind.ts'
import { type Level, named, targetAt } from './level.ts'

/** The entries of one kind in one namespace, and the one watch that may take over from theirs (rule N11). */
export class Bucket implements Escalated {
  readonly kind: Kind
  /** `undefined`: of a cluster-scoped resource. */
  readonly namespace: string | undefined
  /** By the text of their keys. */
  readonly entries: Map<string, Entry> = new Map<string, Entry>()
  readonly escalation: Escalation
  /** What to read for all of its objects, by level. */
  readonly #targets: ReadTarget[] = []

  constructor(kind: Kind, namespace: string | undefined) {
    this.kind = kind
    this.namespace = namespace
    this.escalation = new Escalation(this)
  }

  /** More entries than this are too many. */
  get escalateAt(): number {
    const { escalateAt, escalateAllAt } = this.kind.shared.settings
    // Of a cluster-scoped resource there is but one watch that they could move to.
    return this.namespace === undefined ? Math.min(escalateAt, escalateAllAt) : escalateAt
  }

  /** What may feed many of its entries: one watch of all namespaces, or one of this. */
  get ways(): Escalation[] {
    const { escalation } = this.kind
    return escalation === undefined ? [this.escalation] : [escalation, this.escalation]
  }

  /** The last failure of what entries wait for that nothing feeds yet. */
  get lastError(): Error | undefined {
    return this.kind.escalation?.lastError ?? this.escalation.lastError
  }

  /** What to read for one of its objects, at a level. */
  target(level: Level, name: string): ReadTarget {
    const { view } = this.kind
    this.#targets[level] ??= targetAt(view, this.namespace, level)
    return named(this.#targets[level], view, name)
  }

  all(): Entry[] {
    return [...this.entries.values()]
  }

  find(_: string | undefined, text: string): Entry | undefined {
    return this.entries.get(text)
  }

  wide(): void {}

  refused(): void {}

  again(): void {
    this.kind.riseWhereMany(this)
  }

  place(entry: Entry): void {
    this.kind.place(entry)
  }

  /** Moves them to one watch, where that may be. Gives whether it may. */
  rise(): boolean {
    return this.escalateAt !== Number.POSITIVE_INFINITY && this.escalation.rise()
  }
}
