import { isObject, type Json, type JsonObject, sameJson, stringAt } from '@wherry/cel/internal'
import { builtinType } from '../fields/builtin-types.ts'
import { problemsText, typeProblems } from '../fields/check.ts'
import { customType } from '../fields/custom-types.ts'
import { type FieldType, fieldOf, isGranularList } from '../fields/field-type.ts'
import { merge } from '../fields/merge.ts'
import type { KubeObject } from '../objects/object.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { applyDefaults } from '../schema/defaults.ts'
import { cel } from '../schema/rules.ts'
import { type StatusCause, StatusError } from '../status.ts'
import { jsonPatch } from '../write/patch.ts'
import { BoundPolicies, type Invocation, type PolicyHost } from './bound-policies.ts'
import { atVersion } from './input.ts'
import { type Attributes, shownName } from './review.ts'

/** Thrown if a mutation can't be carried out. */
class MutationFailure extends Error {}

/** The executed policies that may be carried out again, and those that must. */
export interface Reinvocations {
  readonly reinvocable: Set<string>
  readonly again: Set<string>
}

/** Changes written objects by MutatingAdmissionPolicies and their bindings. */
export class MutatingPolicies {
  readonly #host: PolicyHost
  readonly #bound: BoundPolicies

  constructor(host: PolicyHost) {
    this.#host = host
    this.#bound = new BoundPolicies(host, 'mutating')
  }

  /** Whether no policy has a binding. */
  get idle(): boolean {
    return this.#bound.idle
  }

  /** Returns the object as the policies change it. `only`: the policies to carry out. @default all */
  mutated(
    asked: Attributes,
    reinvocations: Reinvocations,
    only: ReadonlySet<string> | undefined,
  ): JsonObject | undefined {
    let { object } = asked
    if (object === undefined) return undefined
    const failures: string[] = []
    for (const invocation of this.#bound.invocations(asked)) {
      const { policy, binding, param, problem } = invocation
      const key = `${policy.name}/${binding?.name}/${param.object?.metadata.namespace}/${param.object?.metadata.name}`
      const of =
        binding === undefined ? `policy "${policy.name}"` : `policy '${policy.name}' with binding '${binding.name}'`
      const fail = (why: string): void => {
        if (!policy.ignoresFailures) failures.push(`${of} denied request: ${why}`)
      }
      if (problem !== '') {
        fail(problem)
        continue
      }
      if (only !== undefined && !only.has(key)) continue
      const before: JsonObject = object
      object = this.#carriedOut(invocation, { ...asked, object }, fail)
      if (!sameJson(before, object)) {
        for (const one of reinvocations.reinvocable) reinvocations.again.add(one)
        reinvocations.reinvocable.clear()
      }
      if (policy.isReinvoked) reinvocations.reinvocable.add(key)
    }
    if (failures.length === 0) return object
    throw refused(failures, asked)
  }

  #carriedOut({ policy, at, param }: Invocation, asked: Attributes, fail: (why: string) => void): JsonObject {
    let object = asked.object as JsonObject
    const values = (): ReturnType<ReturnType<typeof cel>['inputValues']> =>
      cel().inputValues(this.#bound.input({ ...asked, object }, at, param), policy.variables)
    const holds = cel().conditionsHold(policy.conditions, values())
    if (typeof holds === 'string') fail(holds)
    if (holds !== true) return object
    for (const { isApplied, expression } of policy.mutations) {
      const answer = cel().evaluateExpression(expression, values())
      if ('error' in answer) {
        fail(answer.error)
        continue
      }
      const seen = atVersion({ ...asked, object }, at, this.#host).object as JsonObject
      try {
        const next = isApplied ? applied(seen, answer.value, at) : patched(seen, answer.value)
        const back = at === asked.type ? next : (this.#host.convert(next as KubeObject, asked.type) as JsonObject)
        const { schema } = asked.type
        object = schema === undefined || asked.subresource === 'scale' ? back : applyDefaults(schema.root, back)
      } catch (error) {
        if (!(error instanceof MutationFailure) && !(error instanceof cel().MutationError)) throw error
        fail(error.message)
      }
    }
    return object
  }
}

type Value = Parameters<ReturnType<typeof cel>['jsonOf']>[0]

function patched(object: JsonObject, value: Value): JsonObject {
  const operations = cel().operationsOf(value)
  try {
    return jsonPatch(object, operations)
  } catch (error) {
    if (error instanceof StatusError) throw new MutationFailure(`JSON Patch: ${error.message}`)
    throw error
  }
}

function applied(object: JsonObject, value: Value, at: ResourceType): JsonObject {
  const problems = cel().nameProblems(value, 'Object')
  if (problems.length > 0) throw new MutationFailure(`type mismatch: ${problems.join('\n')}`)
  const apiVersion = stringAt(object, 'apiVersion') ?? ''
  const kind = stringAt(object, 'kind') ?? ''
  const configuration = { ...(cel().jsonOf(value) as JsonObject), apiVersion, kind }
  const custom = at.kind === kind ? at.schema : undefined
  const type = custom === undefined ? builtinType(apiVersion, kind) : customType(custom.root)
  if (type === undefined) throw StatusError.missing(`apply configurations of ${kind}`)
  const untyped = typeProblems(configuration, type)
  if (untyped.length > 0) {
    const why = `failed to convert patch object to typed object: ${problemsText(untyped)}`
    throw new MutationFailure(`error applying patch: ${why}`)
  }
  const whole = atomicsIn(configuration, type, '')
  if (whole.length > 0) {
    const why = `may not mutate atomic arrays, maps or structs: ${whole.join(', ')}`
    throw new MutationFailure(`error applying patch: invalid ApplyConfiguration: ${why}`)
  }
  return merge(object, configuration, type) as JsonObject
}

/** The paths of all values that can only be replaced as a whole. */
function atomicsIn(value: Json, type: FieldType, path: string): string[] {
  const whole = type.atomic && (isObject(value) || Array.isArray(value)) ? [path] : []
  if (isObject(value)) {
    const below = Object.entries(value).flatMap(([name, field]) => {
      const inner = fieldOf(type, name)
      return inner === undefined || field === undefined ? [] : atomicsIn(field, inner, `${path}.${name}`)
    })
    return [...whole, ...below]
  }
  if (!Array.isArray(value) || !isGranularList(type)) return whole
  return [...whole, ...(value as Json[]).flatMap((item, i) => atomicsIn(item, type.items, `${path}[${i}]`))]
}

function refused(failures: readonly string[], asked: Attributes): StatusError {
  const causes: StatusCause[] = failures.map(message => ({ message }))
  const { details } = StatusError.forbidden(asked.type, shownName(asked), '')
  return new StatusError(403, 'Invalid', failures[0] as string, { details: { ...details, causes } })
}
