/** A ConfigMap as a server sends it, with further fields in its metadata (`change`) and outside of it (`rest`). */
export const observed = (change: object = {}, rest: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'a',
    namespace: 'b',
    uid: 'u-1',
    resourceVersion: '7',
    generation: 3,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'web', tier: 'x' },
    annotations: { note: 'y' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'parent', uid: 'u-0' }],
    managedFields: [{ manager: 'x' }],
    ...change,
  },
  data: { k: 'v' },
  ...rest,
})
