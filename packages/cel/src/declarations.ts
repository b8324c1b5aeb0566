import { readType, splitTypes, type Type } from './types.ts'
import type { Value } from './values.ts'

/** An overload of a function: its types, and its implementation. The first parameter of a member is its receiver. */
export interface Overload {
  readonly member: boolean
  readonly parameters: readonly Type[]
  readonly result: Type
  readonly call: (...args: never[]) => Value
}

/** The functions that an expression may call. The overloads of a function are tried in this order. */
export type Functions = ReadonlyMap<string, readonly Overload[]>

/** A signature (`string.indexOf(string, int): int`, `size(list<A>): int`) with its implementation. */
export type Declaration = readonly [signature: string, call: (...args: never[]) => Value]

/** Joins libraries of declarations into functions. */
export function declare(...libraries: readonly (readonly Declaration[])[]): Functions {
  const functions = new Map<string, Overload[]>()
  for (const [signature, call] of libraries.flat()) {
    const { name, ...overload } = readSignature(signature)
    const overloads = functions.get(name) ?? []
    overloads.push({ ...overload, call })
    functions.set(name, overloads)
  }
  return functions
}

/** Reads a signature. A global function's name may contain dots (`sets.contains`), so the receiver of a member ends with `->`. */
function readSignature(signature: string): Omit<Overload, 'call'> & { readonly name: string } {
  const open = signature.indexOf('(')
  const close = signature.lastIndexOf('):')
  const head = signature.slice(0, open)
  const [receiver, method] = head.includes('->') ? head.split('->') : [undefined, head]
  const parameters = splitTypes(signature.slice(open + 1, close)).map(readType)
  if (receiver !== undefined) parameters.unshift(readType(receiver))
  return {
    name: method as string,
    member: receiver !== undefined,
    parameters,
    result: readType(signature.slice(close + 2).trim()),
  }
}
