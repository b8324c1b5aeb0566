import { type Client, isApiError } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { namespaces } from '@wherry/client/resources/core'
import { games } from './games.ts'
import { until } from './on-a-server.ts'

/** Where games are admitted: not in the operator's own namespace. */
export const arcade = 'arcade-games'

/** Defines games, and makes a namespace for them. */
export async function prepare(client: Client): Promise<void> {
  const { group, version, kind, plural } = games.resource
  const name = `${plural}.${group}`
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open } } }
  if ((await client.get(customResourceDefinitions, { name })) === undefined)
    await client.create(customResourceDefinitions, {
      metadata: { name },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, plural, singular: 'game', listKind: 'GameList' },
        versions: [{ name: version, served: true, storage: true, schema }],
      },
    } as never)
  if ((await client.get(namespaces, { name: arcade })) === undefined)
    await client.create(namespaces, { metadata: { name: arcade } })
  await until(() => client.list(games))
}

/** Asks for an admission in a dry run: `admitted`, or why the API server could not ask the webhook. The webhook refuses the name `probe`. */
export async function admission(client: Client, name = 'chess'): Promise<string> {
  try {
    await client.create(games, { metadata: { name, namespace: arcade } }, { dryRun: true })
    return 'admitted'
  } catch (error) {
    if (!isApiError(error)) throw error
    return error.message
  }
}

/** Resolves when the API server calls the webhook. */
export const called = (client: Client): Promise<void> =>
  until(async () => {
    const said = await admission(client, 'probe')
    if (!said.includes('it is a probe')) throw new Error(`the webhook is not called yet: ${said}`)
  })
