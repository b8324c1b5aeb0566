import type { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { widgets } from './widgets.ts'

/** Creates the definition of Widgets, and waits until they are served. */
export async function defineWidgets(client: Client): Promise<void> {
  const text = { type: 'object', additionalProperties: { type: 'string' } }
  const name = `${widgets.resource.plural}.${widgets.resource.group}`
  await client.create(customResourceDefinitions, {
    metadata: { name },
    spec: {
      group: widgets.resource.group,
      scope: 'Namespaced',
      names: {
        plural: widgets.resource.plural,
        singular: 'widget',
        kind: widgets.resource.kind,
        listKind: 'WidgetList',
      },
      versions: [
        {
          name: widgets.resource.version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { data: text } } } },
          },
        },
      ],
    },
  })
  const view = customResourceDefinitions.within({ fields: `metadata.name=${name}` })
  for await (const event of client.watch(view)) {
    if (event.type === 'BOOKMARK') continue
    if (event.object.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) return
  }
}
