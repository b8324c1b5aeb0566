import type { View } from '@wherry/client'
import { isSameFunction } from '@wherry/informer'
import { ViewConflictError } from '@wherry/narrow-cache'
import type { ObjectName } from './object-key.ts'
import type { TrackedObject } from './tracked-object.ts'

/** The objects that keys depend on, each once for a view. */
export class TrackedObjects implements Iterable<TrackedObject> {
  /** By the key of the view, then by the object's own. */
  readonly #byView = new Map<string, Map<string, TrackedObject>>()

  /** @throws ViewConflictError where another function has the name of the view's (rule D1). */
  get(view: View, { text }: ObjectName): TrackedObject | undefined {
    const found = this.#byView.get(view.key)?.get(text)
    if (found !== undefined && !isSameFunction(found.view.projection, view.projection)) {
      throw new ViewConflictError(view.key)
    }
    return found
  }

  add(object: TrackedObject): void {
    const { view, key } = object
    const there = this.#byView.get(view.key)
    if (there === undefined) this.#byView.set(view.key, new Map([[key.text, object]]))
    else there.set(key.text, object)
  }

  delete({ view, key }: TrackedObject): void {
    const there = this.#byView.get(view.key)
    there?.delete(key.text)
    if (there?.size === 0) this.#byView.delete(view.key)
  }

  *[Symbol.iterator](): Iterator<TrackedObject> {
    for (const objects of this.#byView.values()) yield* objects.values()
  }
}
