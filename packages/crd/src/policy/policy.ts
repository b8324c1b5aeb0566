import { policyProblems } from '@wherry/cel'
import { OptionRangeError, OptionTypeError, type View } from '@wherry/client'
import { anything, checkOptions, oneOf, selectorObject, text } from '@wherry/client/internal'
import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@wherry/client/resources/admissionregistration'
import type { LabelSelector } from '@wherry/client/resources/meta'
import type { CommonPolicyOptions, MutatingPolicyOptions, PolicyParams, ValidatingPolicyOptions } from './options.ts'

/** A policy and its binding, without which a policy has no effect. Both are manifests: apply the policy first. */
export interface ValidatingPolicy {
  readonly policy: ValidatingAdmissionPolicy & { readonly spec: NonNullable<ValidatingAdmissionPolicy['spec']> }
  readonly binding: ValidatingAdmissionPolicyBinding
}

/** A policy and its binding, without which a policy has no effect. Both are manifests: apply the policy first. */
export interface MutatingPolicy {
  readonly policy: MutatingAdmissionPolicy & { readonly spec: NonNullable<MutatingAdmissionPolicy['spec']> }
  readonly binding: MutatingAdmissionPolicyBinding
}

/** A check for a list of some of these texts. It refuses an empty list, which would silently match nothing. */
function some(...literals: readonly string[]): (option: string, value: unknown) => void {
  const check = oneOf(...literals)
  return (option, value) => {
    notEmpty(option, value, `a list of ${literals.join(', ')}`)
    for (const one of value as unknown[]) check(option, one)
  }
}

const common = {
  ...{ name: text, operations: some('CREATE', 'UPDATE', 'DELETE'), failurePolicy: oneOf('Fail', 'Ignore') },
  ...{ variables: anything, when: anything, params: anything },
}
const validating = { ...common, validations: anything, actions: some('Deny', 'Warn', 'Audit') }
const mutating = {
  ...{ ...common, mutations: anything },
  ...{ reinvocation: oneOf('Never', 'IfNeeded'), apiVersion: oneOf('v1', 'v1beta1') },
}

/**
 * Writes an admission policy for the objects of a view, and its binding: the API server evaluates the policy itself, so no program has to run. A policy with
 * `validations` refuses requests (Kubernetes 1.30 and later), and a policy with `mutations` changes objects (1.36, or `v1beta1` before).
 *
 * The view chooses the objects: its resource, its namespaces and its labels. `evaluatePolicy` of `@wherry/cel` evaluates a policy without a server.
 *
 * @throws OptionTypeError with the path of each expression that an API server would refuse
 * @throws OptionRangeError for a view that a policy can't match: it selects by fields, or by labels with `>` or `<`
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import { policy } from '@wherry/crd'
 *
 * const settings = configMaps.within({ labels: 'example.com/settings' })
 * const validations = [{ expression: "has(object.data) && 'colour' in object.data", message: 'the colour is missing' }]
 * export default policy(settings, { name: 'has-colour.example.com', validations })
 * ```
 */
export function policy(view: View, options: ValidatingPolicyOptions): ValidatingPolicy
export function policy(view: View, options: MutatingPolicyOptions): MutatingPolicy
export function policy(
  view: View,
  options: ValidatingPolicyOptions | MutatingPolicyOptions,
): ValidatingPolicy | MutatingPolicy {
  return 'mutations' in options ? mutatingPolicy(view, options) : validatingPolicy(view, options)
}

function validatingPolicy(view: View, options: ValidatingPolicyOptions): ValidatingPolicy {
  checkOptions('policy', options, validating)
  const { name, validations, actions = ['Deny'] } = options
  notEmpty('policy.validations', validations, 'at least one validation')
  const spec = { ...commonSpec(view, options), validations: validations.map(one => ({ ...one })) }
  checkExpressions({ spec })
  const apiVersion = 'admissionregistration.k8s.io/v1'
  return {
    policy: { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name }, spec },
    binding: {
      ...{ apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name } },
      spec: { policyName: name, validationActions: [...actions], ...paramRef(options.params) },
    },
  }
}

function mutatingPolicy(view: View, options: MutatingPolicyOptions): MutatingPolicy {
  checkOptions('policy', options, mutating)
  const { name, mutations, reinvocation: reinvocationPolicy = 'Never', apiVersion: version = 'v1' } = options
  notEmpty('policy.mutations', mutations, 'at least one mutation')
  if (options.operations?.includes('DELETE') === true)
    throw new OptionTypeError('policy.operations', 'CREATE or UPDATE, for mutations', "'DELETE'")
  const spec = {
    ...commonSpec(view, options),
    reinvocationPolicy,
    mutations: mutations.map(one =>
      'apply' in one
        ? { patchType: 'ApplyConfiguration', applyConfiguration: { expression: one.apply } }
        : { patchType: 'JSONPatch', jsonPatch: { expression: one.patch } },
    ),
  }
  checkExpressions({ spec })
  const apiVersion = `admissionregistration.k8s.io/${version}`
  return {
    policy: { apiVersion, kind: 'MutatingAdmissionPolicy', metadata: { name }, spec },
    binding: {
      ...{ apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata: { name } },
      spec: { policyName: name, ...paramRef(options.params) },
    },
  }
}

function notEmpty(option: string, value: unknown, takes: string): void {
  if (!Array.isArray(value) || value.length === 0)
    throw new OptionTypeError(option, takes, String(JSON.stringify(value)))
}

const entries = (map: Readonly<Record<string, string>>): { name: string; expression: string }[] =>
  Object.entries(map).map(([name, expression]) => ({ name, expression }))

function commonSpec(view: View, options: CommonPolicyOptions) {
  const { operations = ['CREATE', 'UPDATE'], variables, when, params, failurePolicy = 'Fail' } = options
  return {
    failurePolicy,
    matchConstraints: matchConstraints(view, operations),
    ...(params !== undefined && { paramKind: paramKind(params) }),
    ...(variables !== undefined && { variables: entries(variables) }),
    ...(when !== undefined && { matchConditions: entries(when) }),
  }
}

function matchConstraints(view: View, operations: readonly string[]): MatchResources {
  const { group, version, plural, namespaced } = view.resource
  const { namespaces, shard, labels, fields } = view
  const compares = labels.requirements.some(({ operator }) => operator === '>' || operator === '<')
  if (compares)
    throw new OptionRangeError('view', 'label selectors without > and <: use policy.when', JSON.stringify(labels.text))
  if (fields.text !== '') {
    const takes = 'a view without a field selector, since a policy has none: use policy.when'
    throw new OptionRangeError('view', takes, JSON.stringify(fields.text))
  }
  if (shard !== undefined)
    throw new OptionRangeError('view', 'a view without a shard, since a policy has none', `${shard}`)
  if (namespaces !== undefined && !namespaced)
    throw new OptionTypeError('view', 'a view without namespaces, of a cluster-scoped resource', view.key)
  const objectSelector = selectorObject(labels)
  const namespaceSelector: LabelSelector = {
    matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [...(namespaces ?? [])] }],
  }
  return {
    resourceRules: [
      {
        ...{ apiGroups: [group], apiVersions: [version], operations: [...operations], resources: [plural] },
        scope: namespaced ? 'Namespaced' : 'Cluster',
      },
    ],
    ...(namespaces !== undefined && { namespaceSelector }),
    ...(objectSelector !== undefined && { objectSelector }),
  }
}

function paramKind({ view }: PolicyParams): { apiVersion: string; kind: string } {
  const { group, version, kind } = view.resource
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind }
}

function paramRef(params: PolicyParams | undefined): { paramRef?: ParamRef } {
  if (params === undefined) return {}
  const { name, namespace, notFound = 'Deny' } = params
  return { paramRef: { name, ...(namespace !== undefined && { namespace }), parameterNotFoundAction: notFound } }
}

/** The path in the options for a path in a manifest. */
function optionOf(field: string): string {
  return field
    .replace(/^spec\.matchConditions/, 'policy.when')
    .replace(/\.(?:applyConfiguration|jsonPatch)\.expression$/, '')
    .replace(/^spec\./, 'policy.')
}

function checkExpressions(manifest: Parameters<typeof policyProblems>[0]): void {
  const problems = policyProblems(manifest).map(({ field, message }) => `${optionOf(field)}: ${message}`)
  if (problems.length > 0)
    throw new OptionTypeError('policy', 'expressions that the API server takes', '', problems.join('\n'))
}
