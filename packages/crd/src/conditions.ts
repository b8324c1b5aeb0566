import type { int64, Timestamp } from './scalars.ts'

/** A condition of a status, as `metav1.Condition` has it. */
export interface Condition {
  /**
   * The name of the condition, such as `Ready`.
   *
   * @maxLength 316
   * @pattern `^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`
   */
  type: string
  /** Whether it holds. */
  status: 'True' | 'False' | 'Unknown'
  /**
   * Why, in one CamelCase word, for programs.
   *
   * @minLength 1
   * @maxLength 1024
   * @pattern `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
   */
  reason: string
  /**
   * Why, for people.
   *
   * @maxLength 32768
   */
  message: string
  /** When `status` changed. */
  lastTransitionTime: Timestamp
  /**
   * The `metadata.generation` that was acted on.
   *
   * @minimum 0
   */
  observedGeneration?: int64 | undefined
}

/**
 * @remarks The conditions of a status, a map by `type`: each belongs to the manager that sets it.
 *
 * @listType map
 * @listMapKey type
 */
export type Conditions = Condition[]
