const kinds = ['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy'].flatMap(kind => [kind, `${kind}Binding`])

/** Whether a kind is that of an admission policy, or of the binding of a policy. */
export function isPolicyKind(kind: unknown): kind is string {
  return typeof kind === 'string' && kinds.includes(kind)
}

/** The end of the name of each file that `wherry crd` writes for a policy and its binding. */
export const policySuffix = '.policy.yaml'
