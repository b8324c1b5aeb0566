import { sleep } from '../backoff.ts'
import type { Client } from '../client.ts'
import { isResourceNotFound } from '../errors/guards.ts'
import { customResourceDefinitions } from '../resources/apiextensions.ts'
import type { View } from '../views/resource.ts'

/** The schemas of a resource's own fields, by name. */
interface Properties {
  readonly spec: Readonly<Record<string, object>>
  readonly status: Readonly<Record<string, object>>
}

/** Defines a namespaced resource with a status on a server, and resolves when it is served. Rejects as the create does. */
export async function define(client: Client, view: View, { spec, status }: Properties): Promise<void> {
  const { group, version, kind, plural } = view.resource
  const properties = {
    spec: { type: 'object', properties: spec },
    status: { type: 'object', properties: status },
  }
  const schema = { openAPIV3Schema: { type: 'object', properties } as never }
  await client.create(customResourceDefinitions, {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} }, schema }],
    },
  })
  for (;;) {
    const missing = await client.list(view).then(
      () => false,
      (error: unknown) => {
        if (!isResourceNotFound(error)) throw error
        return true
      },
    )
    if (!missing) return
    await sleep(client.environment.clock, 50)
  }
}
