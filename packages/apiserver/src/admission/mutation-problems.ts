import { type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { Declared } from '@wherry/cel/internal/evaluator'
import { invalid, required } from '../metadata/validate.ts'
import type { KubeObject } from '../objects/object.ts'
import { cel } from '../schema/rules.ts'
import type { StatusCause } from '../status.ts'
import { problemsOf } from './conditions.ts'
import { chosen } from './configuration-problems.ts'
import { commonBindingProblems, commonProblems } from './policy-problems.ts'

/** The server's objections to a MutatingAdmissionPolicy. */
export function mutatingProblems(object: KubeObject): StatusCause[] {
  const spec = objectAt(object, 'spec') ?? {}
  const { causes, declared } = commonProblems(object, spec)
  const mutations = objectsAt(spec, 'mutations')
  return [
    ...causes,
    ...(mutations.length === 0 ? [required('spec.mutations', 'mutations must contain at least one item')] : []),
    ...mutations.flatMap((one, i) => mutationProblems(one, `spec.mutations[${i}]`, declared)),
    ...((stringAt(spec, 'reinvocationPolicy') ?? '') === ''
      ? [required('spec.reinvocationPolicy', '')]
      : chosen(spec, 'reinvocationPolicy', ['IfNeeded', 'Never'], 'spec')),
  ]
}

/** The server's objections to a binding of a MutatingAdmissionPolicy. */
export const mutatingBindingProblems: (object: KubeObject) => StatusCause[] = commonBindingProblems

const fields: Readonly<Record<string, readonly [field: string, returns: string, other: string]>> = {
  JSONPatch: ['jsonPatch', 'list(JSONPatch)', 'applyConfiguration'],
  ApplyConfiguration: ['applyConfiguration', 'Object', 'jsonPatch'],
}

function mutationProblems(mutation: JsonObject, at: string, declared: Declared): StatusCause[] {
  const type = stringAt(mutation, 'patchType') ?? ''
  if (type === '') return [required(`${at}.patchType`, '')]
  const known = own(fields, type)
  if (known === undefined) return chosen(mutation, 'patchType', ['ApplyConfiguration', 'JSONPatch'], at)
  const [field, returns, other] = known
  const given = objectAt(mutation, field)
  const source = (stringAt(given, 'expression') ?? '').trim()
  const causes: StatusCause[] = []
  if (given === undefined) causes.push(required(`${at}.${field}`, `must be specified when patchType is ${type}`))
  else if (source === '') causes.push(required(`${at}.${field}.expression`, ''))
  else {
    const compiled = cel().compileExpression(source, [returns], { ...declared, messages: true })
    causes.push(...problemsOf(compiled, `${at}.${field}.expression`))
  }
  if (own(mutation, other) === undefined) return causes
  return [...causes, invalid(`${at}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`)]
}
