import type { FullObject, KubernetesObject, PartialObjectMetadata } from '@wherry/client'
import { apiVersionOf, redactError } from '@wherry/client/internal'
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

/** The status that copies are to have. No digest: they are to have none of this program. */
interface DesiredStatus {
  readonly status: object | undefined
  readonly digest: string | undefined
}

/** One state of a source, and what its copies are to be. */
export class Source<P, T extends KubernetesObject> {
  /** `namespace/name` of the source. */
  readonly key: string
  /** It was reported that its copies could not be built. */
  isReported = false
  /** Applies of the desired status go through it, so that the others know what the first has learned. */
  readonly firstStatus: First = new First()
  readonly #object: P
  readonly #options: SourceOptions<P, T>
  readonly #isTarget: IsTarget<P>
  #built: { readonly copy: FullObject<T> | undefined } | undefined
  /** The hashes of what was built and of its status, once they are asked for. */
  #hashes: Readonly<Record<string, string>> | undefined
  readonly #firstCopy = new First()
  #status: DesiredStatus | undefined
  /** The digest of the desired status as the server stores it. */
  #storedStatus: string | undefined

  constructor(key: string, object: P, options: SourceOptions<P, T>, isTarget: IsTarget<P>) {
    this.key = key
    this.#object = object
    this.#options = options
    this.#isTarget = isTarget
  }

  /** Gives the copy that is to be in a namespace; `undefined`: none is. Throws what the functions of the options throw. */
  copyIn(namespace: PartialObjectMetadata, name: string): FullObject<T> | undefined {
    const { source, adapt, name: set } = this.#options
    try {
      const space = namespace.metadata.name as string
      // A source is no copy of itself.
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
      // An error that is thrown over a Secret is reported without its words.
      throw redactError(source.resource, error)
    }
  }

  #hashesOf(copy: FullObject<T>): Readonly<Record<string, string>> | undefined {
    const { hashAnnotation, statusHashAnnotation, copies } = this.#options
    const isAsBuilt = copy === this.#built?.copy
    if (isAsBuilt && this.#hashes !== undefined) return this.#hashes
    const ofStatus = statusHashAnnotation === undefined ? undefined : this.status()?.digest
    const hashes = {
      ...(hashAnnotation !== undefined && { [hashAnnotation]: digestOf(apiVersionOf(copies.resource), copy) ?? '' }),
      ...(statusHashAnnotation !== undefined && ofStatus !== undefined && { [statusHashAnnotation]: ofStatus }),
    }
    if (isAsBuilt) this.#hashes = hashes
    return hashes
  }

  /** The status that its copies are to have; `undefined`: theirs is left to others. Throws what `status` of the options throws. */
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

  /** Whether this digest of a copy's applied status is that of the desired status. */
  isStatus(digest: string | undefined): boolean {
    const desired = this.status()
    return desired === undefined || digest === desired.digest || (digest !== undefined && digest === this.#storedStatus)
  }

  /** The server has answered an apply of the desired status. */
  learnStatus(stored: string | undefined): void {
    this.#storedStatus = stored
  }

  /** Does the apply of one copy before those of the others, unless each has a desired state of its own. */
  async afterFirst<R>(apply: () => Promise<R>): Promise<R> {
    return this.#options.adapt === undefined ? this.#firstCopy.before(apply) : apply()
  }
}

/** The sources by what their copies are called. */
export class Sources<P, T extends KubernetesObject> {
  readonly #options: SourceOptions<P, T>
  readonly #isTarget: IsTarget<P>
  /** By the name of the copies, and then by the key of the source. */
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

  /** The source of the copies of a name. Where several sources want the name, the first one by key has it. */
  get(name: string): Source<P, T> | undefined {
    let first: Source<P, T> | undefined
    for (const source of this.#named.get(name)?.values() ?? []) {
      if (first === undefined || source.key < first.key) first = source
    }
    return first
  }

  /** The keys of the sources that want copies of a name which another source has. */
  rivals(name: string): readonly string[] {
    const first = this.get(name)?.key
    return [...(this.#named.get(name)?.keys() ?? [])].filter(key => key !== first)
  }

  /** A source has come or changed. Returns what its copies are called. @throws what `copyName` throws, InvalidCopyError */
  set(key: string, object: P): string {
    const name = this.nameOf(key, object)
    const sources = this.#named.get(name) ?? new Map<string, Source<P, T>>()
    if (!sources.has(key)) this.#size += 1
    this.#named.set(name, sources.set(key, new Source(key, object, this.#options, this.#isTarget)))
    return name
  }

  /** A source has gone, or its copies are called otherwise now. */
  delete(key: string, name: string): void {
    const sources = this.#named.get(name)
    if (sources?.delete(key) === true) this.#size -= 1
    if (sources?.size === 0) this.#named.delete(name)
  }

  /** @throws what `copyName` throws, InvalidCopyError */
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
    throw new InvalidCopyError(key, `has no name: ${JSON.stringify(name)}`)
  }
}

/** What `build` or `adapt` gave, checked. @throws InvalidCopyError */
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

/** What `status` gave, checked. @throws InvalidCopyError */
function desiredStatus(key: string, apiVersion: string, status: unknown): DesiredStatus {
  if (status === undefined) return { status: undefined, digest: undefined }
  const given = kindOf(status)
  if (given !== 'object')
    throw new InvalidCopyError(key, `has a status that is ${given}: status gives one object, at once`)
  const digest = digestOf(apiVersion, status as object)
  return { status: digest === undefined ? undefined : (status as object), digest }
}

function kindOf(value: unknown): string {
  if (typeof (value as { then?: unknown } | null)?.then === 'function') {
    // It is nobody's trouble that it rejects.
    Promise.resolve(value).catch(() => {})
    return 'a promise'
  }
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
}
