import { type ASTNode, Environment, type EvaluationError, type ParseResult } from '@marcbachmann/cel-js'
import type { KubernetesObject } from '@wherry/client'
import { bounded, TookTooLongError } from './bounded.ts'
import { type KindName, textOf } from './kinds.ts'
import type { ObjectStore } from './store.ts'

/** How many objects are decided in one go, and how long that may take. A few milliseconds are common. */
export const sliceSize = 100
const sliceTimeoutMs = 100

/** A policy can't be used: it is no CEL, took too long, or the program has none of its name. Its message is for the author of the template. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError'
  readonly code: 'DOES_NOT_COMPILE' | 'TOO_SLOW' | 'UNKNOWN_POLICY'

  constructor(code: PolicyError['code'], message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** A policy that compiles. */
export interface Policy {
  /** The kinds that it looks up. */
  readonly looksUp: readonly KindName[]
  /**
   * Decides on a few objects. Returns the violation of each, or `undefined`. A failure is a violation as well: a policy that reads
   * a field that is not there is to say so with `has()`.
   *
   * @throws PolicyError `TOO_SLOW`
   */
  decide(objects: readonly KubernetesObject[], params: unknown): readonly (string | undefined)[]
}

/** A policy of the program, in TypeScript. */
export interface OwnPolicy {
  /** The kinds that it looks up, and the path of each lookup. @default none */
  readonly looksUp?: readonly (KindName & { readonly path: string })[]
  /**
   * Returns the violation of an object, or `undefined`. It must be a pure function: it is broken off wherever it is when it takes too long. What it
   * throws is a violation as well.
   *
   * `lookup` gives the objects of one of the kinds in `looksUp` that have the value at its path.
   */
  decide(
    object: KubernetesObject,
    given: {
      readonly params: unknown
      lookup(kind: KindName & { readonly path: string }, value: unknown): readonly KubernetesObject[]
    },
  ): string | undefined
}

/** Makes policies of both sorts, which look objects up in a store: in CEL by `lookup(group, kind, path, value)`. */
export class Policies {
  readonly #environment: Environment
  readonly #store: ObjectStore<KubernetesObject>

  readonly #own: Readonly<Record<string, OwnPolicy>>

  /** @param own policies in TypeScript, by the names that templates use */
  constructor(store: ObjectStore<KubernetesObject>, own: Readonly<Record<string, OwnPolicy>> = {}) {
    this.#store = store
    this.#own = own
    this.#environment = new Environment({
      enableOptionalTypes: true,
      homogeneousAggregateLiterals: false,
      limits: { maxAstNodes: 2000, maxDepth: 64 },
    })
      .registerVariable('object', 'dyn')
      .registerVariable('params', 'dyn')
      .registerFunction('lookup(string, string, string, dyn): list<dyn>', (group, kind, path, value) =>
        store.lookup(textOf({ group, kind }), path, value),
      )
  }

  /** @throws PolicyError `DOES_NOT_COMPILE` */
  compile(expression: string, message: string): Policy {
    const checked = this.#environment.check(expression)
    if (!checked.valid) throw new PolicyError('DOES_NOT_COMPILE', summaryOf(checked.error), checked.error)
    if (checked.type !== 'bool' && checked.type !== 'dyn') {
      throw new PolicyError('DOES_NOT_COMPILE', `it gives ${checked.type}, and not bool`)
    }
    const compiled = this.#environment.parse(expression)
    return this.#policy(lookupsOf(compiled.ast), (object, params) => decide(compiled, message, { object, params }))
  }

  /** The policy of the program that has this name. @throws PolicyError `UNKNOWN_POLICY` */
  own(name: string): Policy {
    const own = Object.hasOwn(this.#own, name) ? this.#own[name] : undefined
    if (own === undefined) throw new PolicyError('UNKNOWN_POLICY', `the program has no policy ${JSON.stringify(name)}`)
    const looksUp = own.looksUp ?? []
    const lookup = (
      { group, kind, path }: KindName & { path: string },
      value: unknown,
    ): readonly KubernetesObject[] => {
      if (!looksUp.some(one => one.group === group && one.kind === kind && one.path === path)) {
        throw new Error(`${textOf({ group, kind })} ${path} is not in its looksUp`)
      }
      return this.#store.lookup(textOf({ group, kind }), path, value)
    }
    return this.#policy(looksUp, (object, params) => {
      try {
        return own.decide(object, { params, lookup })
      } catch (error) {
        // What breaks it off is not caught here.
        return `the policy failed: ${summaryOf(error)}`
      }
    })
  }

  #policy(
    looksUp: readonly (KindName & { readonly path: string })[],
    decide: (object: KubernetesObject, params: unknown) => string | undefined,
  ): Policy {
    return {
      looksUp,
      decide: (objects, params) => {
        // An index that is made within the bound could be broken off, and would be made again and again.
        for (const { path, ...kind } of looksUp) this.#store.lookup(textOf(kind), path, undefined)
        return decideInTime(() => objects.map(object => decide(object, params)))
      },
    }
  }
}

function decide(compiled: ParseResult, message: string, context: { object: unknown; params: unknown }) {
  try {
    const verdict: unknown = compiled(context)
    if (typeof verdict === 'boolean') return verdict ? undefined : message
    return `the policy gave ${typeof verdict}, and not bool`
  } catch (error) {
    return `the policy failed: ${summaryOf(error)}`
  }
}

/** Tries twice. A try in which the machine gave this process little time, since it was busy with something else, does not count. */
function decideInTime<T>(call: () => T): T {
  for (let tries = 0; ; ) {
    const before = process.cpuUsage()
    try {
      return bounded(sliceTimeoutMs, call)
    } catch (error) {
      if (!(error instanceof TookTooLongError)) throw error
      const { user, system } = process.cpuUsage(before)
      if ((user + system) / 1000 > sliceTimeoutMs / 2) tries++
      if (tries < 2) continue
      const message = `${sliceSize} objects took longer than ${sliceTimeoutMs} ms; it is not used until the template changes`
      throw new PolicyError('TOO_SLOW', message, error)
    }
  }
}

/** Finds what a policy looks up. Which kind and path that is must be known beforehand. */
function lookupsOf(node: unknown): (KindName & { path: string })[] {
  if (Array.isArray(node)) return node.flatMap(lookupsOf)
  if (typeof node !== 'object' || node === null || !('op' in node)) return []
  const { op, args } = node as ASTNode
  const inner = Array.isArray(args) ? args.flatMap(lookupsOf) : lookupsOf(args)
  if (op !== 'call' || args[0] !== 'lookup') return inner
  const [group, kind, path] = args[1].map(argument => (argument.op === 'value' ? argument.args : undefined))
  if (typeof group !== 'string' || typeof kind !== 'string' || typeof path !== 'string') {
    throw new PolicyError('DOES_NOT_COMPILE', 'group, kind and path of lookup() must be literals')
  }
  return [{ group, kind, path }, ...inner]
}

function summaryOf(error: unknown): string {
  const { summary, message } = error as Partial<EvaluationError>
  return summary ?? message ?? `${error}`
}
