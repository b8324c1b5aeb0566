import { setTimeout as after } from 'node:timers/promises'
import { type Client, defineResource, isResourceNotFound } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { definitionsIn } from '../definitions-in.ts'
import { refused } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { definitionFiles } from './definition-files.ts'

/** How long a server may take until it serves a new resource, in milliseconds. An embedded one takes some. */
const timeoutMs = 30_000

/** Creates the definitions in a folder, and resolves when the server serves their resources. */
export async function createDefinitions(client: Client, folder: string, host: CommandHost): Promise<void> {
  const created: CustomResourceDefinition[] = []
  for (const file of await definitionFiles(folder, host.cwd))
    for (const definition of await definitionsIn(file, host)) {
      await client.create(customResourceDefinitions, definition).catch((error: Error) => {
        throw refused(`${file}: ${error.message}`)
      })
      created.push(definition)
    }
  const end = performance.now() + timeoutMs
  for (const definition of created)
    while (!(await isServed(client, definition))) {
      if (performance.now() > end)
        throw refused(`${definition.metadata?.name} is not served after ${timeoutMs / 1000} s`)
      await after(10)
    }
}

async function isServed(client: Client, { spec }: CustomResourceDefinition): Promise<boolean> {
  const { group, names, scope, versions } = spec
  const namespaced = scope === 'Namespaced'
  try {
    for (const { name: version, served } of versions)
      if (served)
        await client.list(defineResource({ group, version, kind: names.kind, plural: names.plural, namespaced }))
    return true
  } catch (error) {
    if (isResourceNotFound(error)) return false
    throw error
  }
}
