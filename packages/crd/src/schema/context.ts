import type { JsonSchema, StructuralSchema } from './json-schema.ts'
import type { SchemaProblem } from './problem.ts'

/** The state that the conversion of a schema shares. */
export class Context {
  readonly root: JsonSchema
  readonly problems: SchemaProblem[] = []
  /** The schemas of objects that allow no other fields. The API server has no such schema, but the conversion of a union needs to know. */
  readonly closed: WeakSet<StructuralSchema> = new WeakSet()

  /** Whether a schema library wrote the schema, and so may have added parts that are not from its author. */
  readonly isOfLibrary: boolean

  constructor(root: JsonSchema, isOfLibrary: boolean) {
    this.root = root
    this.isOfLibrary = isOfLibrary
  }

  /** Records a problem, and returns a schema to continue with, so that a single run finds all problems. */
  refuse(path: string, message: string): StructuralSchema {
    if (!this.problems.some(one => one.path === path && one.message === message)) this.problems.push({ path, message })
    return { 'x-kubernetes-preserve-unknown-fields': true }
  }
}
