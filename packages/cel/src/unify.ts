import { dyn, sameType, type Type } from './types.ts'

/** The types that type parameters stand for, as far as the check has found them. */
export class Substitutions {
  #bound: Map<string, Type>
  #fresh = 0

  constructor() {
    this.#bound = new Map()
  }

  /** A new parameter with an unused name. */
  fresh(): Type {
    return { kind: 'param', name: `_var${this.#fresh++}`, parameters: [] }
  }

  /** Whether each type of `from` is assignable to the type at the same index of `to`. If so, the substitutions that follow are kept. */
  assign(from: readonly Type[], to: readonly Type[]): boolean {
    const before = new Map(this.#bound)
    if (this.#list(from, to)) return true
    this.#bound = before
    return false
  }

  /** Returns `type` with its parameters replaced. Free parameters become `dyn` if `free` is `dyn`. */
  resolve(type: Type, free: 'dyn' | 'kept' = 'kept'): Type {
    if (type.kind === 'param') {
      const bound = this.#bound.get(type.name)
      if (bound !== undefined) return this.resolve(bound, free)
      return free === 'dyn' ? dyn : type
    }
    if (type.parameters.length === 0) return type
    return { ...type, parameters: type.parameters.map(parameter => this.resolve(parameter, free)) }
  }

  #list(from: readonly Type[], to: readonly Type[]): boolean {
    return from.length === to.length && from.every((type, i) => this.#assignable(type, to[i] as Type))
  }

  #assignable(a: Type, b: Type): boolean {
    if (b.kind === 'param') {
      const { valid, bound } = this.#substitute(a, b)
      if (valid) return true
      if (bound) return false
    }
    if (a.kind === 'param') return this.#substitute(b, a).valid
    if (isLoose(a) || isLoose(b)) return true
    if (a.kind === 'null') return isNullable(b)
    if (b.kind === 'null') return isNullable(a)
    if (a.kind === 'type') return b.kind === 'type'
    return a.kind === b.kind && a.name === b.name && this.#list(a.parameters, b.parameters)
  }

  #substitute(type: Type, parameter: Type): { valid: boolean; bound: boolean } {
    if (sameType(type, parameter)) return { valid: true, bound: true }
    const bound = this.#bound.get(parameter.name)
    if (bound !== undefined) {
      if (sameType(type, bound)) return { valid: true, bound: true }
      if (!this.#assignable(type, bound)) return { valid: false, bound: true }
      const general = mostGeneral(type, bound)
      if (!this.#occurs(parameter, general)) this.#bound.set(parameter.name, general)
      return { valid: true, bound: true }
    }
    if (this.#occurs(parameter, type)) return { valid: false, bound: false }
    this.#bound.set(parameter.name, type)
    return { valid: true, bound: false }
  }

  #occurs(parameter: Type, within: Type): boolean {
    if (sameType(parameter, within)) return true
    if (within.kind === 'param') {
      const bound = this.#bound.get(within.name)
      return bound !== undefined && this.#occurs(parameter, bound)
    }
    return within.parameters.some(inner => this.#occurs(parameter, inner))
  }
}

export function isLoose({ kind }: Type): boolean {
  return kind === 'dyn' || kind === 'error'
}

function isNullable({ kind, name }: Type): boolean {
  return kind === 'null' || kind === 'opaque' || kind === 'struct' || name === 'duration' || name === 'timestamp'
}

/** The more general of two compatible types. */
export function mostGeneral(a: Type, b: Type): Type {
  return isAtLeastAsGeneral(a, b) ? a : b
}

function isAtLeastAsGeneral(a: Type, b: Type): boolean {
  if (a.kind === 'dyn' || a.kind === 'param') return true
  if (b.kind === 'dyn' || b.kind === 'param' || a.kind !== b.kind) return false
  if (a.kind === 'type') return true
  if (a.parameters.length === 0) return sameType(a, b)
  return (
    a.name === b.name &&
    a.parameters.length === b.parameters.length &&
    a.parameters.every((parameter, i) => isAtLeastAsGeneral(parameter, b.parameters[i] as Type))
  )
}
