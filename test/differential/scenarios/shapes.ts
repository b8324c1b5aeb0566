import { post, quietly, type RequestStep, type Step, wait } from '../scenario.ts'

export const cms = '/api/v1/namespaces/{ns}/configmaps'
export const secrets = '/api/v1/namespaces/{ns}/secrets'
export const namespaces = '/api/v1/namespaces'
export const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
export const crd = `${crds}/games.{g}`
export const games = '/apis/{g}/v1/namespaces/{ns}/games'
export const sie = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
export const asMetadata = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' }
export const asMetadataList = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' }
export const asTable = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }

export const configMap = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => {
  const { data, ...metadata } = more
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data: data ?? { a: '1' } }
}

/** Quietly creates ConfigMaps of these names. */
export const filled = (...names: string[]): RequestStep[] => names.map(name => quietly(post(cms, configMap(name))))

export const game = (
  name: string,
  spec: unknown = {},
  metadata: Record<string, unknown> = {},
  version = 'v1',
): unknown => ({
  apiVersion: `{g}/${version}`,
  kind: 'Game',
  metadata: { name, ...metadata },
  spec,
})

export const version = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  ...more,
})

export const gameDefinition = (
  versions: readonly unknown[] = [version('v1', { subresources: { status: {} } })],
  spec: Record<string, unknown> = {},
): Record<string, unknown> => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'games.{g}' },
  spec: { group: '{g}', scope: 'Namespaced', names: { plural: 'games', kind: 'Game' }, versions, ...spec },
})

/** Defines games and waits until they are served. */
export const defined = (...definition: Parameters<typeof gameDefinition>): Step[] => [
  quietly(post(crds, gameDefinition(...definition))),
  wait(crd, { condition: 'Established' }),
  wait(definition[1]?.scope === 'Cluster' ? '/apis/{g}/v1/games' : games, { status: 200 }),
]

/** Descriptions of a built-in's columns are the documentation of its fields, which the embedded server has not. */
export const columnDescriptions: readonly string[] = [
  '*.body.columnDefinitions.*.description',
  '*.events.*.object.columnDefinitions.*.description',
]
