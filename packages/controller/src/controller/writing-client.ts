import type { Client, KubernetesObject, StatusVerbs, View } from '@wherry/client'
import { type WriteListener, writesThrough } from '@wherry/narrow-cache'

const verbs = ['create', 'update', 'patch', 'apply', 'delete'] as const
const statusVerbs = ['update', 'patch', 'apply'] as const

/** A client whose writes caches hear of, so that they are read back (rules N9, C10). In all else it is the other client. */
export function writingClient(client: Client, ...listeners: readonly WriteListener[]): Client {
  const writes = writesThrough(client, ...listeners)
  const status = through(client.status, told(client.status, listeners))
  return through(client, { ...pick(writes), status })
}

function pick(writes: ReturnType<typeof writesThrough>): Record<string, unknown> {
  return Object.fromEntries(verbs.map(verb => [verb, writes[verb]]))
}

function told(status: StatusVerbs, listeners: readonly WriteListener[]): Record<string, unknown> {
  type Verb = (view: View, ...rest: unknown[]) => Promise<KubernetesObject>
  const verb = (name: (typeof statusVerbs)[number]): Verb => {
    const call = (status[name] as unknown as Verb).bind(status)
    return async (view, ...rest) => {
      const answer = await call(view, ...rest)
      const options = rest.at(-1) as { readonly dryRun?: boolean } | undefined
      if (options?.dryRun !== true && answer?.metadata?.resourceVersion !== undefined) {
        for (const listener of listeners) listener.wrote(view, answer)
      }
      return answer
    }
  }
  return Object.fromEntries(statusVerbs.map(name => [name, verb(name)]))
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
