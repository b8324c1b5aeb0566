import { type Client, isConflict, isNotFound } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { until } from '../on-a-server.ts'
import { levels, levelsV1alpha1, levelsV1beta1 } from './levels.ts'

/** The name of the definition of levels. */
export const levelsName = { name: 'levels.arcade.example.com' }

const number = { type: 'integer' }
const text = { type: 'string' }
const schemas: readonly (readonly [version: string, spec: object])[] = [
  ['v1alpha1', { size: number, word: text }],
  ['v1beta1', { size: text, word: text }],
  ['v1', { board: { type: 'object', properties: { size: number } }, word: text }],
]

/** The definition of levels, which are stored at a version, without a conversion. */
export function levelDefinition(storage: string): CustomResourceDefinition & { metadata: { name: string } } {
  return {
    metadata: { ...levelsName },
    spec: {
      group: 'arcade.example.com',
      scope: 'Namespaced',
      names: { kind: 'Level', plural: 'levels', singular: 'level', listKind: 'LevelList' },
      versions: schemas.map(([name, properties]) => ({
        ...{ name, served: true, storage: name === storage },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
      })) as CustomResourceDefinition['spec']['versions'],
    },
  }
}

/** Defines levels, and waits until the server serves a version of them. */
export async function defineLevels(client: Client, storage: string): Promise<void> {
  await client.create(customResourceDefinitions, levelDefinition(storage))
  const served = { v1alpha1: levelsV1alpha1, v1beta1: levelsV1beta1 }[storage] ?? levels
  await until(() => client.list(served))
}

/** Changes the definition as it is on the server. */
export async function changeDefinition(
  client: Client,
  change: (definition: CustomResourceDefinition) => void,
): Promise<void> {
  await until(async () => {
    const live = await client.get(customResourceDefinitions, levelsName)
    if (live === undefined) throw new Error('there is no definition')
    change(live)
    await client.update(customResourceDefinitions, live as never).catch(error => {
      if (isConflict(error)) throw new Error('somebody else has changed it')
      throw error
    })
  })
}

/** Removes the definition with all levels, and waits until it is gone. */
export async function undefineLevels(client: Client): Promise<void> {
  await changeDefinition(client, ({ spec }) => {
    // A definition with objects that can't be converted is not removed before they can.
    spec.conversion = { strategy: 'None' }
  }).catch(error => {
    if (!isNotFound(error) && !/there is no definition/.test(`${error}`)) throw error
  })
  // The server takes the change up a moment later. A removal that begins before fails at each object, and the server tries it again ever more
  // seldom: so the objects go first. A list alone proves nothing, since the server may answer it from what it converted before.
  await until(async () => {
    try {
      for (const { metadata } of (await client.list(levels)).items) await client.delete(levels, metadata)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    for (const view of [levels, levelsV1beta1])
      await client.list(view).then(
        ({ items }) => {
          if (items.length > 0) throw new Error(`there are ${items.length} levels`)
        },
        error => {
          if (!isNotFound(error)) throw error
        },
      )
  })
  await client.delete(customResourceDefinitions, levelsName)
  await until(async () => {
    if ((await client.get(customResourceDefinitions, levelsName)) !== undefined) throw new Error('it is still there')
  })
}
