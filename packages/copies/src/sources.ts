import type { FullObject, KubernetesObject, PartialObjectMetadata } from '@wherry/client'
import { apiVersionOf, ignored, redactError, watched } from '@wherry/client/internal'
import { InvalidCopyError } from './errors.ts'
import { First } from './first.ts'
import { marked } from './marks.ts'
import { type CopiesOptions, type IsTarget, isOfCopies, isTargetOf } from './options.ts'
import { digestOf } from './status-digest.ts'

type SourceOptions<P, T extends KubernetesObject> = Pick<
  CopiesOptions<P, T>,
  | ('name' | 'source' | 'copies' | 'targets' | 'build' | 'adapt' | 'copyName' | 'status')
  | ('hashAnnotation' | 'statusHashAnnotation')
>

/** The desired status of copies. Without a digest, this program writes no status. */
interface DesiredStatus {
  readonly status: object | undefined
  readonly digest: string | undefined
}

/** A state of a source, and the desired copies. */
export class Source<P, T extends KubernetesObject> {
  /** `namespace/name` of the source. */
  readonly key: string
  /** Whether it was reported that the copies can't be built. */
  isReported = false
  /** Sends the first apply of the desired status before the others, which use its answer. */
  readonly firstStatus: First = new First()
  readonly #object: P
  readonly #options: SourceOptions<P, T>
  readonly #isTarget: IsTarget<P>
  #built: { readonly copy: FullObject<T> | undefined } | undefined
  /** The hashes of the built copy and of its status, after their first use. */
  #hashes: Readonly<Record<string, string>> | undefined
  readonly #firstCopy = new First()
  #status: DesiredStatus | undefined
  /** The digest of the desired status in the form in which the server stores it. */
  #storedStatus: string | undefined

  constructor(key: string, object: P, options: SourceOptions<P, T>, isTarget: IsTarget<P>) {
    this.key = key
    this.#object = object
    this.#options = options
    this.#isTarget = isTarget
  }

  /** Returns the desired copy in a namespace; `undefined` if there is none. Throws the errors of the functions in the options. */
  copyIn(namespace: PartialObjectMetadata, name: string): FullObject<T> | undefined {
    const { source, adapt, name: set } = this.#options
    try {
      const space = namespace.metadata.name as string
      // A source can't be its own copy.
      if (this.key === `${space}/${name}` && isOfCopies(this.#options)) return undefined
      if (!this.#isTarget(this.#object, namespace)) return undefined
      this.#built ??= { copy: checkedCopy(this.key, this.#options.build(this.#object)) }
      const { copy } = this.#built
      if (copy === undefined) return undefined
      const adapted = adapt === undefined ? copy : checkedCopy(this.key, adapt(copy, space, this.#object))
      return (
        adapted && marked(adapted, { set, source: this.key, namespace: space, name, hashes: this.#hashesOf(adapted) })
      )
    } catch (error) {
      // An error that is thrown for a Secret is reported without its text, which may contain values.
      throw redactError(source.resource, error)
    }
  }

  #hashesOf(copy: FullObject<T>): Readonly<Record<string, string>> | undefined {
    const { hashAnnotation, statusHashAnnotation, copies } = this.#options
    const isAsBuilt = copy === this.#built?.copy
    if (isAsBuilt && this.#hashes !== undefined) return this.#hashes
    const statusDigest = statusHashAnnotation === undefined ? undefined : this.status()?.digest
    const hashes = {
      ...(hashAnnotation !== undefined && { [hashAnnotation]: digestOf(apiVersionOf(copies.resource), copy) ?? '' }),
      ...(statusHashAnnotation !== undefined && statusDigest !== undefined && { [statusHashAnnotation]: statusDigest }),
    }
    if (isAsBuilt) this.#hashes = hashes
    return hashes
  }

  /** The desired status of the copies; `undefined` if it is left to others. Throws the errors of the option `status`. */
  status(): DesiredStatus | undefined {
    const { status: build, source, copies } = this.#options
    if (build === undefined) return undefined
    try {
      this.#status ??= desiredStatus(this.key, apiVersionOf(copies.resource), build(this.#object))
      return this.#status
    } catch (error) {
      throw redactError(source.resource, error)
    }
  }

  /** Whether a copy's applied status, given by its digest, is the desired status. True if the status is left to others. */
  isStatus(digest: string | undefined): boolean {
    const desired = this.status()
    return desired === undefined || digest === desired.digest || (digest !== undefined && digest === this.#storedStatus)
  }

  /** Records the digest from the server's answer to an apply of the desired status. */
  learnStatus(stored: string | undefined): void {
    this.#storedStatus = stored
  }

  /** Sends the apply of the first copy before the applies of other copies, unless `adapt` makes the copies differ. */
  async afterFirst<R>(apply: () => Promise<R>): Promise<R> {
    return this.#options.adapt === undefined ? this.#firstCopy.before(apply) : apply()
  }
}

/** The sources by the names of their copies. */
export class Sources<P, T extends KubernetesObject> {
  readonly #options: SourceOptions<P, T>
  readonly #isTarget: IsTarget<P>
  /** The sources by the name of the copies, and then by the key of the source. */
  readonly #named = new Map<string, Map<string, Source<P, T>>>()
  #size = 0

  /** @throws OptionTypeError, OptionRangeError */
  constructor(options: SourceOptions<P, T>) {
    this.#options = options
    this.#isTarget = isTargetOf(options.targets)
  }

  get size(): number {
    return this.#size
  }

  /** The names of all copies. */
  names(): IterableIterator<string> {
    return this.#named.keys()
  }

  /** The source of the copies with a name. If several sources want the name, the first by key has it. */
  get(name: string): Source<P, T> | undefined {
    let first: Source<P, T> | undefined
    for (const source of this.#named.get(name)?.values() ?? []) {
      if (first === undefined || source.key < first.key) first = source
    }
    return first
  }

  /** The keys of the sources that want a name for their copies, but another source has it. */
  rivals(name: string): readonly string[] {
    const first = this.get(name)?.key
    return [...(this.#named.get(name)?.keys() ?? [])].filter(key => key !== first)
  }

  /** Stores a source that was added or changed. Returns the name of its copies. @throws the errors of `copyName`, InvalidCopyError */
  set(key: string, object: P): string {
    const name = this.nameOf(key, object)
    const sources = this.#named.get(name) ?? new Map<string, Source<P, T>>()
    if (!sources.has(key)) this.#size += 1
    this.#named.set(name, sources.set(key, new Source(key, object, this.#options, this.#isTarget)))
    return name
  }

  /** Removes a source that was deleted, or has copies with another name now. */
  delete(key: string, name: string): void {
    const sources = this.#named.get(name)
    if (sources?.delete(key) === true) this.#size -= 1
    if (sources?.size === 0) this.#named.delete(name)
  }

  /** The name of a source's copies. @throws the errors of `copyName`, InvalidCopyError */
  nameOf(key: string, object: P): string {
    const { copyName, source } = this.#options
    if (copyName === undefined) return key.slice(key.indexOf('/') + 1)
    let name: unknown
    try {
      name = copyName(object)
    } catch (error) {
      throw redactError(source.resource, error)
    }
    if (typeof name === 'string' && name !== '' && !name.includes('/')) return name
    // The promise itself is the error.
    watched(name, ignored)
    throw new InvalidCopyError(key, `has no name: ${JSON.stringify(name)}`)
  }
}

/** Checks the result of `build` or `adapt`. @throws InvalidCopyError */
function checkedCopy<T extends KubernetesObject>(
  key: string,
  copy: FullObject<T> | undefined,
): FullObject<T> | undefined {
  if (copy === undefined) return undefined
  const given = kindOf(copy)
  if (given !== 'object') throw new InvalidCopyError(key, `is ${given}: build and adapt give one object, at once`)
  if ((copy as { readonly status?: unknown }).status !== undefined) {
    throw new InvalidCopyError(key, 'has a status: leave it out, and give the option status')
  }
  return copy
}

/** Checks the result of `status`. @throws InvalidCopyError */
function desiredStatus(key: string, apiVersion: string, status: unknown): DesiredStatus {
  if (status === undefined) return { status: undefined, digest: undefined }
  const given = kindOf(status)
  if (given !== 'object')
    throw new InvalidCopyError(key, `has a status that is ${given}: status gives one object, at once`)
  const digest = digestOf(apiVersion, status as object)
  return { status: digest === undefined ? undefined : (status as object), digest }
}

function kindOf(value: unknown): string {
  // The promise itself is the error.
  if (watched(value, ignored)) return 'a promise'
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
}
