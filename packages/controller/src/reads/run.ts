import type { Read } from './read.ts'

/** One run of a reconcile, and what it reads. */
export interface Run {
  /** What the reconcile reads through. */
  readonly read: Read
  /** It succeeded: from now on its key depends on exactly what it has read (rule C11). */
  succeed(): void
  /** It failed: its key depends on what it has read, and on what the last successful run did (rule C12). */
  fail(): void
}
