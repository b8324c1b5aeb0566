/** The names of a kind in TypeScript. */
export interface CodeNames {
  /** `Game`: the type. */
  readonly type: string
  /** `game`: the constant of a zod schema. */
  readonly schema: string
  /** `games`: the constant of the resource. */
  readonly resource: string
  /** `game`: the file, without an ending. */
  readonly file: string
}

/** The names of a kind in the sources of a project. A name that is taken there is replaced by another. */
export function codeNames(kind: string, singular: string, plural: string): CodeNames {
  return {
    type: isTaken(kind) ? `${kind}Object` : kind,
    schema: isTaken(singular) ? `${singular}Kind` : singular,
    resource: isTaken(plural) ? `${plural}Resource` : plural,
    file: ownFiles.has(singular) ? `${singular}-kind` : singular,
  }
}

const ownFiles = new Set(['main', 'reconcile'])

/** The reserved words of the language, including those of modules. */
const reserved = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends
  false finally for function if implements import in instanceof interface let new null package private protected public return static super switch
  this throw true try typeof undefined var void while with yield`.split(/\s+/),
)

/** The names that the templates import and declare. */
const ofTemplates = new Set(
  `ObjectMeta Conditions ObjectOf Operator Client assert test all cluster client own operator key message ours condition z process object apply
  status`.split(/\s+/),
)

/** Global types of TypeScript, other than those of global values. */
const globalTypes = new Set(
  `Partial Required Readonly Record Pick Omit Exclude Extract NonNullable Parameters ReturnType InstanceType Awaited Uppercase Lowercase Capitalize
  Uncapitalize NoInfer ThisType PropertyKey PromiseLike ArrayLike Iterable Iterator Function Disposable AsyncDisposable`.split(
    /\s+/,
  ),
)

/** Whether a name is a reserved word, which no type may have as its name. */
export function isReserved(name: string): boolean {
  return reserved.has(name)
}

function isTaken(name: string): boolean {
  return reserved.has(name) || ofTemplates.has(name) || globalTypes.has(name) || Object.hasOwn(globalThis, name)
}
