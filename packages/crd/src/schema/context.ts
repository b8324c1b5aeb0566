import type { JsonSchema, StructuralSchema } from './json-schema.ts'
import type { SchemaProblem } from './problem.ts'

/** What the conversion of one schema shares. */
export class Context {
  readonly root: JsonSchema
  readonly problems: SchemaProblem[] = []
  /** Objects that allow no other fields. The API server has no such schema, but a union needs to know. */
  readonly closed: WeakSet<StructuralSchema> = new WeakSet()

  /** Whether a schema library wrote the schema, and so may have added what its author did not say. */
  readonly isOfLibrary: boolean

  constructor(root: JsonSchema, isOfLibrary: boolean) {
    this.root = root
    this.isOfLibrary = isOfLibrary
  }

  /** Notes a problem, and returns a schema to go on with, so that one run finds all problems. */
  refuse(path: string, message: string): StructuralSchema {
    if (!this.problems.some(one => one.path === path && one.message === message)) this.problems.push({ path, message })
    return { 'x-kubernetes-preserve-unknown-fields': true }
  }
}
