/** The effect of a change of a definition. The server refuses some of the changes that break stored objects. */
export type Verdict = 'breaks stored objects' | 'breaks clients' | 'safe'

/** A difference between two schemas of the same objects. */
export interface SchemaChange {
  /** The path of the field, as in `kubectl explain`, with `[]` for the items of a list and `{}` for the values of a map. Empty for the whole object. */
  readonly path: string
  /** The difference: `maximum is 32, was 64`. */
  readonly change: string
  readonly verdict: Verdict
  /** The advice for the user. Empty if there is nothing to do. */
  readonly advice: string
}

/** A difference between two definitions with the same name. */
export interface DefinitionChange extends SchemaChange {
  /** The version with the changed schema or settings. Undefined for a setting of all versions: `path` is then a path in the definition. */
  readonly version: string | undefined
}

/** Records a change of the schema at a path. */
export type Note = (path: string, change: string, verdict: Verdict, advice?: string) => void
