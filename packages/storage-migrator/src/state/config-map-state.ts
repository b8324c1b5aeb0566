import { type Client, isAlreadyExists } from '@wherry/client'
import { checkOptions, having, isObjectNotFound, text } from '@wherry/client/internal'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { permitted } from '../retry.ts'
import { type MigrationState, parseState, type StateStore } from './migration-state.ts'

/** The ConfigMap that keeps the state of migrations. */
export interface ConfigMapStateOptions {
  /** Reads and writes the ConfigMap. */
  readonly client: Client
  /** The namespace of the ConfigMap. */
  readonly namespace: string
  /** The name of the ConfigMap. @default 'wherry-storage-migrator' */
  readonly name?: string | undefined
}

/**
 * Keeps the state of migrations in a ConfigMap, under the names of their definitions. Needs the rights to get, create and
 * patch that ConfigMap. It is created if it is missing, and stays after the last migration.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMapState, migrateStorage } from '@wherry/storage-migrator'
 *
 * const [client, definition] = [await Client.connect(), 'games.arcade.example.com']
 * const state = configMapState({ client, namespace: 'arcade' })
 * await migrateStorage({ client, definition, state }) // continues a run that was killed
 * ```
 */
export function configMapState(options: ConfigMapStateOptions): StateStore {
  const client = having('a Client', 'get', 'create', 'patch')
  checkOptions('configMapState', options, { client, namespace: text, name: text }, ['client', 'namespace'])
  return new ConfigMapState(options)
}

class ConfigMapState implements StateStore {
  readonly #client: Client
  readonly #key: { readonly namespace: string; readonly name: string }

  constructor({ client, namespace, name = 'wherry-storage-migrator' }: ConfigMapStateOptions) {
    this.#client = client
    this.#key = { namespace, name }
  }

  async load(definition: string, signal?: AbortSignal): Promise<MigrationState | undefined> {
    const get = (): Promise<ConfigMap | undefined> => this.#client.get(configMaps, this.#key, { signal })
    const found = await this.#call(definition, 'get', get, signal)
    const { data = {} } = found ?? {}
    const state = Object.hasOwn(data, definition) ? data[definition] : undefined
    const { namespace, name } = this.#key
    return state === undefined ? undefined : parseState(definition, state, `ConfigMap ${namespace}/${name}`)
  }

  async save(definition: string, state: MigrationState, signal?: AbortSignal): Promise<void> {
    const data = { [definition]: JSON.stringify(state) }
    if (await this.#patch(definition, data, signal)) return
    try {
      const create = (): Promise<unknown> => this.#client.create(configMaps, { metadata: this.#key, data }, { signal })
      await this.#call(definition, 'create', create, signal)
    } catch (error) {
      // Another migration has just created the ConfigMap.
      if (!isAlreadyExists(error)) throw error
      await this.#patch(definition, data, signal)
    }
  }

  async clear(definition: string, signal?: AbortSignal): Promise<void> {
    // A run without an earlier state has nothing to delete, so it needs no right to write.
    if ((await this.load(definition, signal)) === undefined) return
    await this.#patch(definition, { [definition]: null }, signal)
  }

  /** Patches the ConfigMap. Resolves with false if it does not exist. */
  async #patch(definition: string, data: Record<string, string | null>, signal?: AbortSignal): Promise<boolean> {
    const patch = (): Promise<unknown> => this.#client.patch(configMaps, this.#key, { data }, { signal })
    try {
      await this.#call(definition, 'patch', patch, signal)
      return true
    } catch (error) {
      if (isObjectNotFound(error)) return false
      throw error
    }
  }

  #call<T>(definition: string, verb: string, request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { namespace, name } = this.#key
    return permitted(this.#client.environment, definition, `${verb} ConfigMap ${namespace}/${name}`, request, signal)
  }
}
