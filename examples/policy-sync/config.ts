import { defineResource, type ObjectMeta, type Resource, type View } from '@wherry/client'
import type { KindName } from './kinds.ts'

/**
 * Names the kinds of objects that policies may look up. There is one, called `config`.
 *
 * @group policy.example.com
 * @version v1
 * @cluster
 */
export interface Config {
  metadata?: ObjectMeta
  spec: {
    /**
     * @maxItems 100
     * @listType map
     * @listMapKey group
     * @listMapKey kind
     */
    sync: ConfigKind[]
  }
  status?: {
    /**
     * @listType map
     * @listMapKey group
     * @listMapKey kind
     */
    kinds?: SyncedKind[]
  }
}

interface ConfigKind extends KindName {
  /** @minLength 1 */
  kind: string
}

export interface SyncedKind extends KindName {
  /** `Pending`: it is not installed, may not be watched, or its objects are still being read. */
  state: 'Synced' | 'Pending'
  /** Why it is pending, or empty. */
  message: string
}

export const configs: Resource<Config, 'cluster'> = defineResource<Config>({
  group: 'policy.example.com',
  version: 'v1',
  kind: 'Config',
  plural: 'configs',
  namespaced: false,
})

/** The name of the one Config. */
export const configName = 'config'

export const theConfig: View<Config, 'cluster'> = configs.within({ fields: { 'metadata.name': configName } })
