import type { Client } from '@wherry/client'
import { define } from './define.ts'
import { widgets } from './widgets.ts'

/** Creates the definition of Widgets, and waits until they are served. */
export async function defineWidgets(client: Client): Promise<void> {
  const text = { type: 'object', additionalProperties: { type: 'string' } }
  const name = `${widgets.resource.plural}.${widgets.resource.group}`
  await define(client, {
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
}
