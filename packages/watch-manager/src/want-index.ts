import type { View } from '@wherry/client'
import type { Want } from './want.ts'

/** All wants of a manager's registrars, by view. */
export class WantIndex {
  readonly #byKey = new Map<string, Set<Want>>()
  readonly #moves = new Map<string, Promise<unknown>>()

  add(want: Want): void {
    const { key } = want.view
    const wants = this.#byKey.get(key)
    if (wants === undefined) this.#byKey.set(key, new Set([want]))
    else wants.add(want)
  }

  delete(want: Want): void {
    const { key } = want.view
    const wants = this.#byKey.get(key)
    wants?.delete(want)
    if (wants?.size === 0) this.#byKey.delete(key)
  }

  /** An informer is on its way from one view to another: neither is held anew before it got there. */
  moving(from: string, to: string, moved: Promise<unknown>): void {
    for (const key of [from, to]) this.#moves.set(key, moved)
    moved.then(() => {
      for (const key of [from, to]) if (this.#moves.get(key) === moved) this.#moves.delete(key)
    })
  }

  /** Settles when the view may be held; `undefined`: now. */
  moveOf(key: string): Promise<unknown> | undefined {
    return this.#moves.get(key)
  }

  /** Those for one view. */
  of(key: string): ReadonlySet<Want> {
    return this.#byKey.get(key) ?? none
  }

  *all(): Generator<Want> {
    for (const wants of [...this.#byKey.values()]) yield* [...wants]
  }

  /** Each view once. */
  intended(): View[] {
    return [...this.#byKey.values()].map(wants => first(wants).view)
  }

  /** Each view once that is watched. */
  watched(): View[] {
    // One informer serves all of them: what is true of one that has begun is true of all.
    return [...this.#byKey.values()].filter(wants => some(wants, want => want.watched)).map(wants => first(wants).view)
  }
}

const none: ReadonlySet<Want> = new Set()

function first(wants: ReadonlySet<Want>): Want {
  for (const want of wants) return want
  throw new Error('an empty set of wants')
}

function some(wants: ReadonlySet<Want>, holds: (want: Want) => boolean): boolean {
  for (const want of wants) if (holds(want)) return true
  return false
}
