import { defineResource, type ObjectMeta, type Resource } from '@wherry/client'

/** The kind of the audited operators: each keeps a ConfigMap with a digest of the Secret that a Mirror names. */
export interface Mirror {
  metadata?: ObjectMeta
  spec: {
    /** The name of a Secret in the Mirror's namespace. */
    secret: string
    /** A change of it runs an operator again, and changes nothing else. */
    note?: string
  }
}

export const mirrors: Resource<Mirror, 'namespaced'> = defineResource<Mirror>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Mirror',
  plural: 'mirrors',
  namespaced: true,
})
