import type { KubernetesObject } from '@wherry/client'
import { expect, it } from 'vitest'
import { Policies } from './policies.ts'
import { ObjectStore } from './store.ts'

/** As a machine that is busy with something else: lookups take long at first, and use no processor time. */
class StarvedStore extends ObjectStore<KubernetesObject> {
  #left = 3

  override lookup(kind: string, path: string, value: unknown): readonly KubernetesObject[] {
    if (value !== undefined && this.#left-- > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
    return super.lookup(kind, path, value)
  }
}

it('a policy is not too slow because the machine is busy with something else', () => {
  const policies = new Policies(new StarvedStore(() => {}))
  const policy = policies.compile('lookup("", "Pod", "metadata.name", object.metadata.name).size() == 1', 'no pod')
  expect(policy.decide([{ metadata: { name: 'a' } }], {})).toEqual(['no pod'])
})
