/** The fields of a webhook's request that tests read. */
interface Review {
  readonly request: { readonly uid: string; readonly namespace: string }
}

/** Answers the calls of a webhook: sets `data.hooked` to the result of `value`. */
export function hooks(value: (namespace: string) => string): (call: { readonly review: unknown }) => Promise<unknown> {
  return async ({ review: given }) => {
    const { request, ...review } = given as Review
    const { uid } = request
    const operations = [{ op: 'add', path: '/data/hooked', value: value(request.namespace) }]
    const patch = Buffer.from(JSON.stringify(operations)).toString('base64')
    return { ...review, response: { uid, allowed: true, patchType: 'JSONPatch', patch } }
  }
}

/** The configuration that has such a webhook called for a resource, in the namespaces with these labels. */
export function hooked(
  plural: string,
  labels: Readonly<Record<string, string>>,
  clientConfig: object = { url: 'https://hook.example.com/x' },
  of: object = { apiGroups: [''], apiVersions: ['v1'] },
): object {
  return {
    metadata: { name: 'hooks' },
    webhooks: [
      {
        name: 'hook.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'NoneOnDryRun',
        clientConfig,
        namespaceSelector: { matchLabels: labels },
        rules: [{ operations: ['CREATE', 'UPDATE'], resources: [plural], ...of }],
      },
    ],
  }
}
