/**
 * Why a key runs again and again. `own_write`: its own runs write something new each time. `other_keys`: the same, by way of runs of other keys.
 * `field_fight`: somebody changes back what it writes. `timer`: it asks for its next run at once.
 */
export type LoopKind = 'own_write' | 'other_keys' | 'field_fight' | 'timer'

/** A key that does not come to rest. `toString` gives a sentence. */
export interface Loop {
  /** The name of the controller. */
  readonly controller: string
  /** `namespace/name` of the primary object. */
  readonly key: string
  readonly kind: LoopKind
  /** The key of the view through which the object is written again and again; `undefined` if none is. */
  readonly view: string | undefined
  /** `namespace/name` of that object. */
  readonly object: string | undefined
  /** The fields that differ each time, as `changesOf` names them. Empty if they are not known yet, or nobody may read the object. */
  readonly paths: readonly string[]
  /** The field managers that change those fields back, as far as the server says it. Empty if it is the key's own runs that write. */
  readonly managers: readonly string[]
  /** How many runs belong to it so far. */
  readonly runs: number
  /** Since when, in milliseconds since 1970. */
  readonly since: number
  /** How long it has gone on, in milliseconds. */
  readonly lastedMs: number
  /** How long the key waits from one run to the next because of it, in milliseconds. 0 until it is named. */
  readonly waitMs: number
  toString(): string
}

/** A loop is named after so many runs that count. */
export const runsToName = 12

/** Whether it is a loop by its runs, however short it has lasted. */
export function isSure({ runs, waitMs }: Loop): boolean {
  return runs >= runsToName || waitMs > 0
}

/** @param about all of it but the sentence */
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
