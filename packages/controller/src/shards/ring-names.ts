/** The API group of rings. */
export const ringGroup = 'sharding.timebertt.dev'
/** The resource of rings. */
export const ringPlural = 'controllerrings'

const prefix = 'alpha.sharding.timebertt.dev/'

/** The label of a lease that names the ring of its shard. */
export const ringLabel: string = `${prefix}controllerring`

/** The labels that a ring gives to objects. */
export interface RingLabels {
  /** The value is the name of the shard that the object is assigned to. */
  readonly shard: string
  /** An object that has this label is to be released by its shard. */
  readonly drain: string
}

export function labelsOf(ring: string): RingLabels {
  return { shard: `shard.${prefix}${ring}`, drain: `drain.${prefix}${ring}` }
}
