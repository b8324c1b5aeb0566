import type { Client } from '@wherry/client'
import { callName, type OpenCalls } from '../reads/open-calls.ts'

/** A client whose calls are noted until they end (rule A9). In all else it is the other client. */
export function notedClient(client: Client, calls: OpenCalls): Client {
  return noted(client, calls, 'client')
}

function noted<T extends object>(target: T, calls: OpenCalls, path: string): T {
  return new Proxy(target, {
    get: (_, member) => {
      const value: unknown = Reflect.get(target, member, target)
      const name = `${path}.${String(member)}`
      if (member === 'status' || member === 'scale') return noted(value as object, calls, name)
      if (typeof value !== 'function' || member === 'constructor') return value
      return (...args: unknown[]): unknown => {
        const result: unknown = value.apply(target, args)
        return result instanceof Promise ? calls.note(result, () => callName(name, args)) : result
      }
    },
  })
}
