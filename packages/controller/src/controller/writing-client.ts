import {
  asKey,
  type Client,
  isForbidden,
  type KubernetesObject,
  keyText,
  type ObjectKey,
  projector,
  resourceName,
  type ScaleVerbs,
  type StatusVerbs,
  unprojected,
  type View,
} from '@wherry/client'
import { wentWith } from '@wherry/informer/parts'
import { type WriteListener, type Writes, writesThrough } from '@wherry/narrow-cache'
import { asError } from '../as-error.ts'
import { metadataOf } from '../objects/metadata-view.ts'
import { notingUnanswered } from './unanswered.ts'

const verbs = ['create', 'update', 'patch', 'apply'] as const
const statusVerbs = ['update', 'patch', 'apply'] as const
const scaleVerbs = ['update', 'patch'] as const

/** Reads of informers: what a key is there, and who hears of writes to it. */
export interface InformerReads extends WriteListener {
  /** The uids that a key has now. */
  uids(view: View, key: ObjectKey): Iterable<string>
  /** The answer to a write of an object was lost. */
  unanswered(view: View, key: string): void
}

/** One that hears of writes. Where it tells no uids, it knows by itself what it had. */
type Hearing = WriteListener & Partial<InformerReads>

/** Who hears of the writes of a client. */
interface WriteListeners {
  readonly narrow: WriteListener
  readonly reads: InformerReads
  /** Reads of others. */
  readonly others: readonly Hearing[]
}

/** A client whose writes caches hear of, so that they are read back (rules N9, C10). In all else it is the other client. */
export function writingClient(client: Client, hearing: WriteListeners): Client {
  const { narrow, reads, others } = hearing
  const listeners: readonly Hearing[] = [narrow, reads, ...others]
  const writes = writesThrough(client, ...listeners)
  const status = through(client.status, told(client.status, listeners))
  const scale = through(client.scale, scaled(client.scale, listeners))
  const fenced: Client['fenced'] = admit => {
    const { client: within, end } = client.fenced(admit)
    return { client: writingClient(within, hearing), end }
  }
  const gone: Gone = (view, key) => {
    const before = uidsOf(listeners, view, key)
    return uid => {
      const uids = uid === undefined ? before : new Set([...before, uid])
      for (const one of listeners) {
        if (one.uids === undefined) one.deleted(view, key, uid)
        else for (const each of uids) one.deleted(view, key, each)
      }
    }
  }
  const deleting: Writes['delete'] = (view, of, options) => {
    const key = asKey(of)
    const went = gone(view as View, key)
    const { wrote } = toAll(listeners)
    const hear: WriteListener = {
      wrote: (of, answer) => (wentWith(answer) ? went((answer as KubernetesObject).metadata?.uid) : wrote(of, answer)),
      deleted: (_, __, uid) => went(uid),
    }
    return writesThrough(client, hear).delete(view, key, options)
  }
  const noting = (verb: unknown): Verb => notingUnanswered(verb as Verb, listeners) as Verb
  return through(client, {
    ...Object.fromEntries(verbs.map(name => [name, noting(writes[name])])),
    delete: noting(deleting),
    ...{ status, scale, fenced },
    ...unsaid(client, listeners, gone),
  })
}

/**
 * Looks what informers show before a request. What that gives tells that the key is free: all that they showed has gone, which may be
 * older than what was deleted, and so has `uid`; what has the name by then has not.
 */
type Gone = (view: View, key: ObjectKey) => (uid: string | undefined) => void

type Verb = (view: View, ...rest: unknown[]) => Promise<KubernetesObject>

function told(status: StatusVerbs, listeners: readonly Hearing[]): Record<string, unknown> {
  const verb = (name: (typeof statusVerbs)[number]): Verb => {
    const call = (status[name] as unknown as Verb).bind(status)
    const writing: Verb = async (view, ...rest) => {
      // A projection may leave out what tells one version from another.
      const answer = await call(unprojected(view) as View, ...rest)
      tell(listeners, view, answer, rest)
      return projector(view)(answer) as KubernetesObject
    }
    return notingUnanswered(writing, listeners) as Verb
  }
  return Object.fromEntries(statusVerbs.map(name => [name, verb(name)]))
}

/** What is answered is a `Scale`, with the name and the version of the object that it is of. */
function scaled(scale: ScaleVerbs, listeners: readonly Hearing[]): Record<string, unknown> {
  const verb = (name: (typeof scaleVerbs)[number]): Verb => {
    const call = (scale[name] as unknown as Verb).bind(scale)
    const writing: Verb = async (view, ...rest) => {
      const answer = await call(view, ...rest)
      tell(listeners, view, answer, rest)
      return answer
    }
    return notingUnanswered(writing, listeners) as Verb
  }
  return Object.fromEntries(scaleVerbs.map(name => [name, verb(name)]))
}

/** Calls whose answers do not say what became of the objects: the server is asked. */
function unsaid(
  client: Client,
  listeners: readonly WriteListener[],
  gone: Gone,
): Pick<Client, 'evict' | 'deleteCollection'> {
  const { deleted } = toAll(listeners)
  const asking = async (view: View, key: ObjectKey | undefined, ask: () => Promise<void>): Promise<void> => {
    try {
      await ask()
    } catch (error) {
      // Who may not read them caches none.
      if (isForbidden(error)) return
      const about = { phase: 'read what was written', resource: resourceName(view.resource) }
      client.environment.onError(asError(error), { ...about, ...(key !== undefined && { key: keyText(key) }) })
    }
  }
  return {
    evict: async (pods, of, options) => {
      const key = asKey(of)
      const went = gone(pods, key)
      await client.evict(pods, key, options)
      if (options?.dryRun === true) return
      await asking(pods, key, async () => {
        const there = await client.get(metadataOf(pods), key, { signal: options?.signal })
        if (there === undefined) went(options?.preconditions?.uid)
        else tell(listeners, pods, there as KubernetesObject, [])
      })
    },
    deleteCollection: async (view, options) => {
      const plain = view as unknown as View
      const answered = (await client.deleteCollection(unprojected(plain), options)) as KubernetesObject[]
      if (options?.dryRun !== true && answered.length > 0) {
        await asking(plain, undefined, async () => {
          const left = new Map<string, KubernetesObject>()
          const keep = (object: KubernetesObject): unknown => left.set(object.metadata?.uid ?? '', object)
          await client.listEach(metadataOf(plain) as View<KubernetesObject>, keep, { signal: options?.signal })
          for (const { metadata: { name = '', namespace, uid } = {} } of answered) {
            const there = left.get(uid ?? '')
            if (there !== undefined) tell(listeners, plain, there, [])
            else deleted(plain, { name, namespace } as ObjectKey, uid)
          }
        })
      }
      return answered.map(object => projector(view)(object)) as never[]
    },
  }
}

function uidsOf(listeners: readonly Hearing[], view: View, key: ObjectKey): ReadonlySet<string> {
  const uids = new Set<string>()
  for (const one of listeners) {
    try {
      for (const uid of one.uids?.(view, key) ?? []) uids.add(uid)
    } catch {
      // What can be no view or no key is refused by the request itself. What one can't tell, others may.
    }
  }
  return uids
}

/** All of them as one. */
function toAll(listeners: readonly WriteListener[]): WriteListener {
  return {
    wrote: (view, answer) => {
      for (const listener of listeners) listener.wrote(view, answer)
    },
    deleted: (view, key, uid) => {
      for (const listener of listeners) listener.deleted(view, key, uid)
    },
  }
}

function tell(
  listeners: readonly WriteListener[],
  view: View,
  answer: KubernetesObject | undefined,
  rest: readonly unknown[],
): void {
  const options = rest.at(-1) as { readonly dryRun?: boolean } | undefined
  if (options?.dryRun === true || answer?.metadata?.resourceVersion === undefined) return
  for (const listener of listeners) listener.wrote(view, answer)
}

/** The object, with some of its members replaced. Its methods run on itself: it may have private ones. */
function through<T extends object>(target: T, replaced: Readonly<Record<string, unknown>>): T {
  const bound = new Map<PropertyKey, unknown>()
  return new Proxy(target, {
    get: (_, name) => {
      if (typeof name === 'string' && Object.hasOwn(replaced, name)) return replaced[name]
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (!bound.has(name)) bound.set(name, value.bind(target))
      return bound.get(name)
    },
  })
}
