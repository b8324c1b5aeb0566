/** A ValidatingAdmissionPolicy or a MutatingAdmissionPolicy, with the fields that this package reads. */
export interface PolicyManifest {
  readonly spec: {
    readonly failurePolicy?: string | undefined
    readonly paramKind?: object | undefined
    readonly variables?: readonly { readonly name: string; readonly expression: string }[] | undefined
    readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[] | undefined
    readonly validations?:
      | readonly {
          readonly expression: string
          readonly message?: string | undefined
          readonly messageExpression?: string | undefined
          readonly reason?: string | undefined
        }[]
      | undefined
    readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[] | undefined
    readonly mutations?:
      | readonly {
          readonly patchType?: string | undefined
          readonly applyConfiguration?: { readonly expression?: string | undefined } | undefined
          readonly jsonPatch?: { readonly expression?: string | undefined } | undefined
        }[]
      | undefined
  }
}
