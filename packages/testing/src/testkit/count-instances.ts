import { queryObjects } from 'node:v8'

/** The prototype that all counted classes have in common. */
class Counted {}

/**
 * Counts the instances of `classes` on the heap after a garbage collection. Compare the count only with another count of the
 * same classes, because their prototypes, and the instances of classes that they extend, are counted as well.
 *
 * One pass over the heap takes a second. The classes get a prototype in common, so that one pass counts them all.
 */
export function countInstances(classes: readonly { readonly prototype: object }[]): number {
  for (const { prototype } of classes) {
    if (prototype instanceof Counted) continue
    let root = prototype
    for (let next = root; next !== Object.prototype; next = Object.getPrototypeOf(next)) root = next
    Object.setPrototypeOf(root, Counted.prototype)
  }
  // The leak check of the tests keeps timers in memory until it looks at them.
  const detector = (globalThis as { wherryLeaks?: { open(): unknown } }).wherryLeaks
  detector?.open()
  return queryObjects(Counted, { format: 'count' }) as unknown as number
}
