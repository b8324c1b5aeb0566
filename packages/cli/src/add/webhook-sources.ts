/** A resource that the sources of a project declare. */
export interface ProjectResource {
  /** The constant that the file exports. */
  readonly constant: string
  /** The file, relative to the folder of the program: `game.ts`. */
  readonly file: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
}

/** A webhook to be written. */
export interface NewWebhook {
  /** `player-limit` */
  readonly name: string
  readonly mutates: boolean
  readonly resource: ProjectResource
  /** The name of the operator, which its Service has too. */
  readonly operator: string
}

/** The function that adds a webhook: `playerLimitWebhook`. */
export function functionOf(name: string): string {
  return `${name.replaceAll(/-+([a-z0-9])/g, (_, first: string) => first.toUpperCase())}Webhook`
}

/** The names that the templates declare. A resource with the same name gets another name in the new files. */
const ofTemplates = new Set(['webhooks', 'client', 'operator', 'test', 'assert', 'review', 'object', 'draft', 'deny'])

/** The source of a webhook, with a placeholder handler that has an effect for the test to check. */
export function webhookSource({ name, mutates, resource }: NewWebhook): string {
  const { constant, file, kind } = resource
  const local = ofTemplates.has(constant) || constant === functionOf(name) ? 'reviewed' : constant
  const imported = local === constant ? constant : `${constant} as ${local}`
  const handler = mutates
    ? `.mutate(({ draft }) => {
      draft.metadata.labels = { ...draft.metadata.labels, '${labelOf(resource)}': 'true' }
    })`
    : `.validate(({ object, deny }) => {
      const { name = '' } = object.metadata
      if (name.length > 40) deny('the name has more than 40 characters', { field: 'metadata.name' })
    })`
  return `import type { Webhooks } from '@wherry/webhook'
import { ${imported} } from '../${file}'

/**
 * ${mutates ? `Changes each ${kind}` : `Looks at each ${kind}`} before it is stored. What the handler does is a placeholder: write your own rule.
 *
 * While no replica serves, a request is refused if the group is in the option groups of Webhooks, and passes if it is not; .failurePolicy says otherwise.
 */
export function ${functionOf(name)}(webhooks: Webhooks): void {
  webhooks
    .webhook('${name}')
    .for(${local})
    ${handler}
}
`
}

/** A test of the handler, without a server. @param folder the folder of the program, relative to that of the test: `../src` */
export function webhookTest({ name, mutates, resource, operator }: NewWebhook, folder: string): string {
  const { group, version, plural, kind } = resource
  const add = functionOf(name)
  const test = mutates
    ? `test('${name} labels a ${kind}, and changes nothing more when it is asked again', async () => {
  const request = requestFor('chess')
  assert.deepEqual((await webhooks.review('${name}', request)).patch, [
    { op: 'add', path: '/metadata/labels', value: { '${labelOf(resource)}': 'true' } },
  ])
  assert.deepEqual((await webhooks.reinvoke('${name}', request)).patch, [])
})`
    : `test('${name} refuses a ${kind} with a name that is too long', async () => {
  assert.equal((await webhooks.review('${name}', requestFor('chess'))).allowed, true)
  const { status } = await webhooks.review('${name}', requestFor('a'.repeat(41)))
  assert.equal(status?.message, 'metadata.name: the name has more than 40 characters')
})`
  return `import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { Client } from '@wherry/client'
import { Operator } from '@wherry/controller'
import { type AdmissionRequest, Webhooks } from '@wherry/webhook'
import { ${add} } from '${folder}/webhooks/${name}.ts'

// Nothing is sent there: the handler is asked, and no server.
const client = new Client({ url: 'https://127.0.0.1:6443' })
const operator = new Operator({ name: '${operator}', client })
const webhooks = new Webhooks(operator, { service: { namespace: 'default', name: '${operator}' } })
${add}(webhooks)

const requestFor = (name: string): AdmissionRequest => ({
  uid: '1',
  operation: 'CREATE',
  resource: { group: '${group}', version: '${version}', resource: '${plural}' },
  userInfo: { username: 'jane' },
  object: { metadata: { name } },
})

${test}
`
}

/** A label of the group, or of an example domain for the core group. */
function labelOf({ group }: ProjectResource): string {
  return `${group === '' ? 'example.com' : group}/seen`
}
