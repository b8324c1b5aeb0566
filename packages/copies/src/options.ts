import {
  type FullObject,
  type KubernetesObject,
  LabelSelector,
  type LabelSelectorInput,
  OptionRangeError,
  OptionTypeError,
  type PartialObjectMetadata,
  type Resource,
  type View,
} from '@wherry/client'
import {
  anything,
  callback,
  checkOptions,
  flag,
  having,
  ignored,
  integer,
  milliseconds,
  oneOf,
  text,
  watched,
} from '@wherry/client/internal'
import type { StatusOf } from '@wherry/controller'
import { copiedFromAnnotation } from './marks.ts'

/** The options of {@link Copies}. `P`: the type of the sources. `T`: the type of the copies. */
export interface CopiesOptions<P, T extends KubernetesObject> {
  /**
   * The name of this set of copies. It is also the value of the label on copies, so it must be the same at each start, and unique among sets.
   * The controller is called `copies-NAME`. Letters, digits, `.`, `_` and `-`, up to 63.
   */
  readonly name: string
  /** The sources. If sources and copies have the same resource, objects with a copy's label are not sources. */
  readonly source: View<P>
  /** The resource of the copies. */
  readonly copies: Resource<T, 'namespaced'>
  /**
   * The namespaces that get a copy: those with these labels, those in a list of names, or those that a function selects for a source. The function is
   * called again when the source or the namespace changes, and must be quick and deterministic. A namespace that is being deleted gets no copy.
   */
  readonly targets: LabelSelectorInput | readonly string[] | ((source: P, namespace: PartialObjectMetadata) => boolean)
  /**
   * Builds the copy of a source, the same for all namespaces. It is called once for each state of the source. `undefined`: the source gets no
   * copies. The labels, annotations, owners and finalizers of the returned metadata are used. The copy must not have a status: see `status`.
   */
  readonly build: (source: P) => FullObject<T> | undefined
  /** Adapts the copy to a namespace. The function must not change its argument. @default none: all copies are equal */
  readonly adapt?: ((copy: FullObject<T>, namespace: string, source: P) => FullObject<T>) | undefined
  /**
   * Returns the status of a source's copies, the same for all namespaces. The field manager `copies-NAME` applies it to the `status` subresource, which the
   * copies' definition must have. Fields that others add to the status stay. `undefined`: this program writes no status, and gives up the fields of a
   * status that it applied before.
   *
   * The function is called once for each state of the source, so times in the status must come from the source. The time of the call would differ after
   * each restart, and all copies would be written.
   * @default none: the copies' status is left to others
   */
  readonly status?: ((source: P) => StatusOf<T> | undefined) | undefined
  /** The name of a source's copies. @default the source's name */
  readonly copyName?: ((source: P) => string) | undefined
  /** Whether copies are enabled at the start; see {@link Copies.disable}. @default true */
  readonly enabled?: boolean | undefined
  /**
   * The action for a copy that can't follow its source because a changed field is immutable: the type of a Secret, or the data of
   * a Secret or ConfigMap with `immutable: true`. `recreate`: if this program made the copy, it is deleted by its uid and made again, so the copy is
   * missing for a moment. `fail`: the copy stays unchanged, and `onError` receives an `ImmutableFieldError` that names the field.
   * @default 'recreate'
   */
  readonly whenImmutable?: 'recreate' | 'fail' | undefined
  /**
   * The name of an annotation of each copy that gets a hash of the result of `build` and `adapt`. Two copies of equal content have equal hashes, so
   * programs that read only metadata can compare them. This program needs no such annotation, and never reads it. The status is not part of the hash.
   * @default none
   */
  readonly hashAnnotation?: string | undefined
  /**
   * The name of an annotation of each copy that gets a hash of the result of `status`. The option needs `status`, and another name than `hashAnnotation`. A
   * copy without a status of this program has no such annotation. The annotation is part of the copy, which is written before its status: a change
   * of the status costs two requests for each copy instead of one.
   * @default none
   */
  readonly statusHashAnnotation?: string | undefined
  /** The number of namespaces that are reconciled at the same time, and of copies at the same time in each namespace. @default 5 */
  readonly concurrency?: number | undefined
  /** The maximum wait before a retry, in milliseconds. The first wait is 50, and each next wait is twice as long. @default 60_000 */
  readonly maxRetryMs?: number | undefined
  /** Field managers of earlier versions of this program. Their fields belong to this program's field manager from its first write on. @default none */
  readonly formerManagers?: readonly string[] | undefined
  /** How the server treats unknown fields. @default the server's ('Warn') */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined
  /** How long a request may take, in milliseconds. @default the client's */
  readonly timeoutMs?: number | undefined
}

/** Whether a namespace gets a copy of a source. */
export type IsTarget<P> = (source: P, namespace: PartialObjectMetadata) => boolean

const checks = {
  name: labelValue,
  source: having('a View', 'within'),
  copies: resource,
  targets: anything,
  build: callback,
  adapt: callback,
  status: callback,
  copyName: callback,
  enabled: flag,
  whenImmutable: oneOf('recreate', 'fail'),
  hashAnnotation: annotationName,
  statusHashAnnotation: annotationName,
  concurrency: integer(1),
  maxRetryMs: milliseconds({ min: 50 }),
  formerManagers: names,
  fieldValidation: oneOf('Ignore', 'Warn', 'Strict'),
  timeoutMs: milliseconds({ min: 1, infinite: true }),
}

/** @throws OptionTypeError, OptionRangeError */
export function checkCopiesOptions<P, T extends KubernetesObject>(options: CopiesOptions<P, T>): void {
  checkOptions('copies', options ?? null, checks)
  for (const name of ['name', 'source', 'copies', 'targets', 'build'] as const) {
    if (options[name] === undefined) throw new OptionTypeError(`copies.${name}`, 'to be given', 'undefined')
  }
  const { status, hashAnnotation, statusHashAnnotation } = options
  if (statusHashAnnotation === undefined) return
  const given = JSON.stringify(statusHashAnnotation)
  if (status === undefined) {
    throw new OptionRangeError('copies.statusHashAnnotation', 'no name unless the option status is given too', given)
  }
  if (statusHashAnnotation === hashAnnotation) {
    throw new OptionRangeError('copies.statusHashAnnotation', 'another name than hashAnnotation', given)
  }
}

/** Returns the test for the namespaces of a source. The test throws the errors of the caller's function. @throws OptionTypeError, OptionRangeError */
export function isTargetOf<P>(targets: CopiesOptions<P, KubernetesObject>['targets']): IsTarget<P> {
  if (Array.isArray(targets)) {
    names('copies.targets', targets)
    const chosen: ReadonlySet<string> = new Set(targets as readonly string[])
    return (_, { metadata }) => chosen.has(metadata.name ?? '')
  }
  if (typeof targets === 'function') {
    return (source, namespace) => {
      const chosen: unknown = targets(source, namespace)
      if (typeof chosen === 'boolean') return chosen
      // If it is a promise, the promise itself is the error.
      watched(chosen, ignored)
      throw new OptionTypeError('copies.targets', 'a function that gives true or false, at once', typeof chosen)
    }
  }
  const selector = LabelSelector.of(targets as LabelSelectorInput, 'copies.targets')
  return (_, { metadata }) => selector.matches(metadata.labels)
}

/** Whether sources and copies are of one resource. */
export function isOfCopies<P, T extends KubernetesObject>(
  options: Pick<CopiesOptions<P, T>, 'source' | 'copies'>,
): boolean {
  const { source, copies } = options
  return source.resource.group === copies.resource.group && source.resource.plural === copies.resource.plural
}

function labelValue(option: string, value: unknown): void {
  text(option, value)
  if (!/^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(value as string)) {
    throw new OptionRangeError(option, 'a label value: letters, digits, ., _ and -, up to 63', JSON.stringify(value))
  }
}

function annotationName(option: string, value: unknown): void {
  text(option, value)
  const [, prefix, name = ''] = /^(?:(.*)\/)?([^/]*)$/.exec(value as string) ?? []
  const isName = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(name)
  const isPrefix = prefix === undefined || (prefix.length <= 253 && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(prefix))
  if (isName && isPrefix && value !== copiedFromAnnotation) return
  throw new OptionRangeError(option, 'the name of an annotation that is not used yet', JSON.stringify(value))
}

function names(option: string, value: unknown): void {
  if (!Array.isArray(value)) throw new OptionTypeError(option, 'a list of names', typeof value)
  value.forEach((name, index) => {
    text(`${option}[${index}]`, name)
  })
}

function resource(option: string, value: unknown): void {
  having('a resource', 'within', 'project', 'full')(option, value)
  const { resource: type, projection, namespaces, shard, labels, fields } = value as View
  if (!type.namespaced) throw new OptionRangeError(option, 'a resource with namespaces', type.plural)
  const isWhole = namespaces === undefined && shard === undefined && labels.text === '' && fields.text === ''
  if (projection.kind !== 'default' || !isWhole) {
    throw new OptionRangeError(option, 'a resource as it is: whole objects, of all namespaces', 'a view of fewer')
  }
}
