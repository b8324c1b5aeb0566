import type { ProjectNames, SchemaKind } from './names.ts'

/** The TypeScript files of a project by path: the resource, its reconcile, the program and a test. */
export function sources(names: ProjectNames, schema: SchemaKind): Readonly<Record<string, string>> {
  const { name, kind, singular, plural, code } = names
  const add = `add${kind}`
  const isZod = schema === 'zod'
  const resource = `export const ${code.resource} = defineResource<${code.type}>({
  group: '${names.group}',
  version: 'v1alpha1',
  kind: '${kind}',
  plural: '${plural}',
  namespaced: true,
})
`
  const imported = `import { ${code.resource} } from './${code.file}.ts'\n`
  return {
    [isZod ? `src/${code.file}.crd.ts` : `src/${code.file}.ts`]: isZod
      ? zodSchema(names)
      : `${ofInterface(names)}${resource}`,
    'src/reconcile.ts': `${isZod ? "import { defineResource } from '@wherry/client'\n" : ''}import { configMaps } from '@wherry/client/resources/core'
import type { Operator } from '@wherry/controller'
${isZod ? `import type { ${code.type} } from './${code.file}.crd.ts'\n\n${resource}` : imported}
/** The ConfigMaps of this operator: it watches no others. */
export const ours = configMaps.within({ labels: { 'app.kubernetes.io/managed-by': '${name}' } })

/** Makes the cluster match each ${kind}. It runs again when that changes, or what it has made. */
export function ${add}(operator: Operator): void {
  operator
    .controller('${singular}')
    .for(${code.resource})
    .owns(ours)
    .reconcile(async ({ object, apply, status }) => {
      await apply(ours, { metadata: { name: object.metadata${isZod ? '?' : ''}.name }, data: { message: object.spec.message } })
      await status({ conditions: [{ type: 'Ready', status: 'True', reason: 'Applied' }] })
    })
}
`,
    'src/main.ts': `import { Operator } from '@wherry/controller'
import { ${add} } from './reconcile.ts'

const operator = await Operator.connect({
  name: '${name}',
  leader: true,
  health: { host: '0.0.0.0', port: Number(process.env.PORT ?? 8080) },
})
${add}(operator)
await operator.run()
`,
    'test/reconcile.test.ts': `import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { rolesIn } from '@wherry/testing'
import { setUpApiServer } from '@wherry/testing/node-test'
${isZod ? `import { ${add}, ${code.resource} } from '../src/reconcile.ts'` : `import { ${code.resource} } from '../src/${code.file}.ts'\nimport { ${add} } from '../src/reconcile.ts'`}

// Exactly the rights of the manifests; with RECORD=1 all rights, to record what a change needs.
const all = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]
const cluster = setUpApiServer({ install: 'deploy/crd', rights: process.env.RECORD ? all : rolesIn('deploy') })

test('makes a ConfigMap, and keeps it as it should be', async () => {
  const client = cluster.closeAfterTest(new Client(cluster.admin))
  const own = cluster.closeAfterTest(new Client(cluster.operator))
  const operator = cluster.closeAfterTest(new Operator({ name: '${name}', client: own }))
  ${add}(operator)
  void operator.run({ signals: false })

  const key = { name: 'hello', namespace: cluster.namespace }
  const message = async () => (await client.get(configMaps, key))?.data?.message
  await client.create(${code.resource}, { metadata: key, spec: { message: 'Hello' } })
  await operator.settled()
  assert.equal(await message(), 'Hello')

  await client.patch(configMaps, key, { data: { message: 'by hand' } })
  await operator.settled()
  assert.equal(await message(), 'Hello')
})
`,
  }
}

function ofInterface({ group, kind, code }: ProjectNames): string {
  return `import { defineResource, type ObjectMeta } from '@wherry/client'
import type { Conditions } from '@wherry/crd'

/**
 * Makes a ConfigMap with a message.
 *
 * @group ${group}
 * @version v1alpha1${code.type === kind ? '' : `\n * @kind ${kind}`}
 */
export interface ${code.type} {
  metadata: ObjectMeta
  spec: {
    /**
     * What the ConfigMap says.
     *
     * @minLength 1
     */
    message: string
  }
  status?: { conditions?: Conditions }
}

`
}

function zodSchema({ group, kind, plural, code }: ProjectNames): string {
  return `import { defineCustomResource, type ObjectOf } from '@wherry/crd'
import { z } from 'zod'

const condition = z
  .object({
    type: z.string().min(1).max(316).describe('The name of the condition, such as Ready.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds.'),
    reason: z.string().min(1).max(1024).describe('Why, in one CamelCase word, for programs.'),
    message: z.string().max(32_768).describe('Why, for people.'),
    lastTransitionTime: z.string().meta({ format: 'date-time', description: 'When the status changed.' }),
    observedGeneration: z.int().min(0).optional().describe('The generation that was acted on.'),
  })
  .describe('A condition of a status.')
const asMap = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] }

// Only the definition and the type are made of it: the operator does not load it.
export const ${code.schema} = defineCustomResource({
  group: '${group}',
  version: 'v1alpha1',
  kind: '${kind}',
  plural: '${plural}',
  namespaced: true,
  description: 'Makes a ConfigMap with a message.',
  spec: z.object({ message: z.string().min(1).describe('What the ConfigMap says.') }),
  status: z.object({ conditions: z.array(condition).meta(asMap).optional() }),
})

export type ${code.type} = ObjectOf<typeof ${code.schema}>
`
}
