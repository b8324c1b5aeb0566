import type { ProjectNames } from './names.ts'

/** The TypeScript files of a project by path: the resource, its reconcile, the program and a test. */
export function sources({ name, group, kind, singular, plural }: ProjectNames): Readonly<Record<string, string>> {
  const add = `add${kind}`
  return {
    [`src/${singular}.ts`]: `import { defineResource, type ObjectMeta } from '@wherry/client'
import type { Conditions } from '@wherry/crd'

/**
 * Makes a ConfigMap with a message.
 *
 * @group ${group}
 * @version v1alpha1
 */
export interface ${kind} {
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

export const ${plural} = defineResource<${kind}>({
  group: '${group}',
  version: 'v1alpha1',
  kind: '${kind}',
  plural: '${plural}',
  namespaced: true,
})
`,
    'src/reconcile.ts': `import { configMaps } from '@wherry/client/resources/core'
import type { Operator } from '@wherry/controller'
import { ${plural} } from './${singular}.ts'

/** The ConfigMaps of this operator: it watches no others. */
export const ours = configMaps.within({ labels: { 'app.kubernetes.io/managed-by': '${name}' } })

/** Makes the cluster match each ${kind}. It runs again when that changes, or what it has made. */
export function ${add}(operator: Operator): void {
  operator
    .controller('${singular}')
    .for(${plural})
    .owns(ours)
    .reconcile(async ({ object, apply, status }) => {
      await apply(ours, { metadata: { name: object.metadata.name }, data: { message: object.spec.message } })
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
import { ${plural} } from '../src/${singular}.ts'
import { ${add} } from '../src/reconcile.ts'

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
  await client.create(${plural}, { metadata: key, spec: { message: 'Hello' } })
  await operator.settled()
  assert.equal(await message(), 'Hello')

  await client.patch(configMaps, key, { data: { message: 'by hand' } })
  await operator.settled()
  assert.equal(await message(), 'Hello')
})
`,
  }
}
