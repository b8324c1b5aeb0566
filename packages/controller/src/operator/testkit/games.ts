import { type Client, defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import { type ConfigMap, configMaps, type Secret } from '@wherry/client/resources/core'
import { define } from '@wherry/client/testkit/define'

/** A resource of one's own: it names a Secret, and becomes a ConfigMap. */
export interface Game {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
  spec: { title?: string; secret: string; lives?: number }
  status?: { phase?: string }
}

export const games: Resource<Game, 'namespaced'> = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})

const text = { type: 'string' }

/** Defines the resource on a server, and resolves when it is served. */
export function defineGames(client: Client): Promise<void> {
  const spec = { title: text, secret: text, lives: { type: 'integer', default: 3 } }
  return define(client, games, { spec, status: { phase: text } })
}

/** The key of an object of the default namespace. */
export const at = (name: string): { readonly name: string; readonly namespace: string } => ({
  name,
  namespace: 'default',
})

export const game = (name: string, secret = 'key', title = 'Chess'): Game => ({
  metadata: { name, namespace: 'default' },
  spec: { title, secret },
})

export const secret = (name: string, value: string): Secret => ({
  metadata: { name, namespace: 'default' },
  stringData: { value },
})

/** The ConfigMaps that games become. */
export const ours: Resource<ConfigMap, 'namespaced'> = configMaps.within({
  labels: { 'app.kubernetes.io/managed-by': 'game' },
})

/** What a game becomes. */
export const desiredConfig = (of: Game, key: Secret): ConfigMap => ({
  metadata: { name: `${of.metadata.name}-config` },
  data: { title: of.spec.title ?? '', key: key.data?.value ?? '' },
})
