import {
  type Client,
  type KubernetesObject,
  LabelSelector,
  type LabelSelectorInput,
  OptionRangeError,
  OptionTypeError,
  type PartialObjectMetadata,
  type Resource,
  tellable,
  type View,
  type Whole,
} from '@wherry/client'
import {
  anything,
  callback,
  checkOptions,
  flag,
  having,
  integer,
  milliseconds,
  oneOf,
  text,
} from '@wherry/client/checks'
import type { Parts } from '../parts/parts.ts'
import { asyncGift } from './async-gift.ts'
import type { CopyCache } from './copy-cache.ts'
import type { CopyEvent } from './copy-event.ts'
import type { DampingOptions } from './damper.ts'

/** What a `CopyReconciler` is made of: `P` is what a source is read as, `T` the objects that copies are. */
export interface CopyReconcilerOptions<P, T extends KubernetesObject> {
  /**
   * Names this set of copies: the value of the label that they are found by, so the same at each start and no other set's. Letters,
   * digits, `.`, `_` and `-`, up to 63.
   */
  readonly name: string
  readonly client: Client
  /** Where sources, namespaces and copies are read from; a `DynamicCache`. It outlives the reconciler. */
  readonly cache: CopyCache
  /** The sources. Of the resource of the copies, copies themselves are never sources. */
  readonly source: View<P>
  /** The resource of the copies, whole: what is written. */
  readonly copies: Resource<T, 'namespaced'>
  /**
   * Which namespaces get a copy: those with these labels, or those that the function chooses for a source. It is called anew when
   * the source or the namespace changes, and must be quick and give the same for the same. A namespace that is being deleted gets none.
   */
  readonly targets: LabelSelectorInput | ((source: P, namespace: PartialObjectMetadata) => boolean)
  /**
   * The desired copy of a source, alike in all namespaces; called once for each state of the source. `undefined`: there are to be
   * none. Name, namespace and marks are set afterwards; of the metadata, labels, annotations, owners and finalizers are taken.
   */
  readonly build: (source: P) => Whole<T> | undefined
  /**
   * Changes the desired copy for one namespace. Each copy is then built and hashed by itself: leave it out where all are alike.
   * Must not change what it is given.
   * @default none
   */
  readonly adapt?: ((copy: Whole<T>, namespace: string, source: P) => Whole<T>) | undefined
  /** What a copy is called. @default as its source */
  readonly copyName?: ((source: P, namespace: string) => string) | undefined
  /** Which parts of a copy count. Without `adapt` they must not look at its namespace. */
  readonly parts: Parts<T>
  /** Most writes under way. @default 10 */
  readonly concurrency?: number | undefined
  /**
   * What is kept of each copy, and so how it is known to be as wanted. `ingest`: hashes of what was observed, some 50 bytes. `full`: the
   * whole object, compared deep; for who needs it anyway, or wants paths in events. `annotations`: its metadata, with hashes that this
   * writes to the annotation `wherry.dev/hashes`; for who can't afford that the data is sent. It costs a read for each change that somebody
   * else makes of a copy, and does not see all that was changed while this process did not run.
   * @default 'ingest'
   */
  readonly mode?: 'ingest' | 'full' | 'annotations' | undefined
  /**
   * How what differs is written. `update`: the copy is replaced, so that what somebody added by hand goes. `apply`: server-side
   * apply, which leaves fields that others added.
   * @default 'update'
   */
  readonly write?: 'update' | 'apply' | undefined
  /** With `apply`: take fields back that another manager took. @default true */
  readonly force?: boolean | undefined
  /** Whom the server notes as the fields' manager. @default the reconciler's name */
  readonly fieldManager?: string | undefined
  /** What unknown fields are. @default the server's ('Warn') */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined
  /** How long one request may take, in milliseconds. @default the client's */
  readonly timeoutMs?: number | undefined
  /** The longest wait before what failed is tried again, in milliseconds; the first is 50, and it doubles. @default 60_000 */
  readonly maxRetryMs?: number | undefined
  /** How copies are slowed down that somebody else keeps changing. */
  readonly damping?: DampingOptions | undefined
  /** Hears what is done and what fails. What it throws goes to the environment's `onError`. @default none */
  readonly onEvent?: ((event: CopyEvent) => void) | undefined
}

const view = having('a View', 'within')

const checks = {
  name: labelValue,
  client: having('a Client', 'get', 'create', 'update', 'apply', 'delete'),
  cache: having('a cache', 'hold'),
  source: view,
  copies: resource,
  targets: anything,
  build: callback,
  adapt: callback,
  copyName: callback,
  parts: having('parts({ … })', 'record'),
  concurrency: integer(1),
  mode: oneOf('ingest', 'full', 'annotations'),
  write: oneOf('update', 'apply'),
  force: flag,
  fieldManager: text,
  fieldValidation: oneOf('Ignore', 'Warn', 'Strict'),
  timeoutMs: milliseconds({ min: 1, infinite: true }),
  maxRetryMs: milliseconds({ min: 50 }),
  damping,
  onEvent: callback,
}

const needed = ['name', 'client', 'cache', 'source', 'copies', 'targets', 'build', 'parts'] as const

/** Checks the options; gives what chooses targets. */
export function checkedTargets<P, T extends KubernetesObject>(
  options: CopyReconcilerOptions<P, T>,
): (source: P, namespace: PartialObjectMetadata) => boolean {
  checkOptions('copies', options ?? null, checks)
  for (const name of needed) {
    if (options[name] === undefined) throw new OptionTypeError(`copies.${name}`, 'to be given', 'undefined')
  }
  if (options.force !== undefined && options.write !== 'apply') {
    throw new OptionTypeError('copies.force', "nothing without write: 'apply'", `${options.force}`)
  }
  const { targets, source } = options
  if (typeof targets === 'function') {
    return (one, namespace) => {
      let chosen: unknown
      try {
        chosen = targets(one, namespace)
      } catch (error) {
        throw tellable(source.resource, error)
      }
      if (typeof chosen === 'boolean') return chosen
      throw new OptionTypeError(
        'copies.targets',
        'a function that gives true or false, at once',
        `one that gives ${asyncGift(chosen) ?? (chosen === null ? 'null' : typeof chosen)}`,
      )
    }
  }
  const selector = LabelSelector.of(targets, 'copies.targets')
  return (_, { metadata }) => selector.matches(metadata.labels)
}

function labelValue(option: string, value: unknown): void {
  text(option, value)
  if (!/^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(value as string)) {
    throw new OptionRangeError(option, 'a label value: letters, digits, ., _ and -, up to 63', JSON.stringify(value))
  }
}

function resource(option: string, value: unknown): void {
  having('a resource', 'within', 'project', 'full')(option, value)
  const { resource: type, projection, namespaces } = value as View
  if (!type.namespaced) throw new OptionRangeError(option, 'a resource with namespaces', type.plural)
  if (projection.kind !== 'default' || namespaces !== undefined) {
    throw new OptionRangeError(option, 'a resource as it is: whole objects, of all namespaces', 'a view of fewer')
  }
}

function damping(option: string, value: unknown): void {
  const positive = milliseconds({ min: 1 })
  checkOptions(option, value, { repairs: integer(1), minMs: positive, maxMs: positive, forgetMs: positive })
  const { minMs = 1000, maxMs = 300_000 } = value as DampingOptions
  if (maxMs < minMs) throw new OptionRangeError(`${option}.maxMs`, `minMs (${minMs}) or more`, `${maxMs}`)
}
