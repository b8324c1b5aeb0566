/**
 * Why a key runs again and again. `own_write`: its own runs write something new each time. `other_keys`: its writes make other keys run, and the writes of
 * those make it run again. `field_fight`: another client changes its writes back. `timer`: it asks for its next run at once.
 */
export type LoopKind = 'own_write' | 'other_keys' | 'field_fight' | 'timer'

/** A key that does not come to rest. `toString` gives a sentence. */
export interface Loop {
  /** The name of the controller. */
  readonly controller: string
  /** `namespace/name` of the primary object. */
  readonly key: string
  readonly kind: LoopKind
  /** The key of the view of the object that is written again and again. It need not be the primary object. `undefined` if no object is known. */
  readonly view: string | undefined
  /** `namespace/name` of the object that is written again and again. */
  readonly object: string | undefined
  /**
   * The fields that differ each time, such as `spec.replicas`, in the form of `Changes.paths`. Empty if they are not known yet, or the operator may
   * not read the object.
   */
  readonly paths: readonly string[]
  /** The field managers that change those fields back, if the server names them. Empty if only runs of the key write them. */
  readonly managers: readonly string[]
  /** The number of runs of the loop so far. */
  readonly runs: number
  /** The time of the loop's first run, in milliseconds since 1970. */
  readonly since: number
  /** The duration of the loop so far, in milliseconds. */
  readonly lastedMs: number
  /**
   * The delay between runs of the key because of the loop, in milliseconds. 0 until the loop is named, and for a field fight in which the limiter
   * delays the writes.
   */
  readonly waitMs: number
  toString(): string
}

/**
 * The minimum number of counted runs before a loop is named. The loop must also have lasted for some time. A field fight that the limiter reports is
 * named at once.
 */
export const runsToName = 12

/** Whether the loop has enough runs to be proved, or delays its key already. */
export function isSure({ runs, waitMs }: Loop): boolean {
  return runs >= runsToName || waitMs > 0
}

/** Makes a loop with its text. */
export function loopOf(about: Omit<Loop, 'toString'>): Loop {
  return Object.defineProperty({ ...about }, 'toString', { value: () => sentence(about) }) as Loop
}

function sentence(about: Omit<Loop, 'toString'>): string {
  const { controller, key, runs, lastedMs, waitMs } = about
  const seconds = Math.max(1, Math.round(lastedMs / 1000))
  const waits = waitMs === 0 ? '' : `; it waits ${waitMs / 1000} s between runs now`
  return `${key} of ${controller} does not come to rest: ${reason(about)}, ${runs} times in ${seconds} s${waits}`
}

function reason({ kind, view, object, paths, managers }: Omit<Loop, 'toString'>): string {
  const more = paths.length > 3 ? ` and ${paths.length - 3} more fields` : ''
  const what = `${paths.length === 0 ? '' : `${paths.slice(0, 3).join(', ')}${more} of `}${object} of ${view}`
  const by = managers.length === 0 ? '' : ` (${managers.join(', ')})`
  switch (kind) {
    case 'timer':
      return 'its runs ask for the next one at once (requeueAfterMs)'
    case 'field_fight':
      return `somebody else${by} changes back what it writes, ${what}`
    case 'other_keys':
      return `it and other keys run for what they write${by}, ${what}`
    case 'own_write':
      return `its runs write what makes it run${by}, ${what}`
  }
}
