import { readFileSync } from 'node:fs'
import { Client, defineResource } from '@wherry/client'
import { secrets } from '@wherry/client/resources/core'
import { clusterRoleBindings, clusterRoles } from '@wherry/client/resources/rbac'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { Conversion } from './conversion/conversion.ts'
import { called, prepare } from './testkit/admissions.ts'
import { games } from './testkit/games.ts'
import { until } from './testkit/on-a-server.ts'
import { type Replica, replica } from './testkit/own.ts'

interface Rule {
  readonly apiGroups: string[]
  readonly resources: string[]
  readonly verbs: string[]
  readonly resourceNames?: string[]
}

/** The rights that docs/webhooks.md names, for an operator of this name. */
function documented(operator: string): Rule[] {
  const page = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8')
  const quoted = (cell = ''): string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, text]) => text as string)
  return page
    .split('\n')
    .filter(line => /^\| `(secrets|validating|customresource)/.test(line))
    .map(line => {
      const [, resources, verbs, names] = line.split('|')
      const resourceNames = quoted(names).map(name =>
        name.replace('NAME', operator).replace('PLURAL.GROUP', 'games.arcade.example.com'),
      )
      const group = line.includes('customresource') ? 'apiextensions.k8s.io' : 'admissionregistration.k8s.io'
      return {
        apiGroups: [line.includes('secrets') ? '' : group],
        ...{ resources: quoted(resources), verbs: quoted(verbs) },
        ...(resourceNames.length > 0 && { resourceNames }),
      }
    })
}

/** The documented rules without one verb for one resource. */
function without(verb: string, resource: string): Rule[] {
  return documented('arcade').flatMap(rule => {
    if (!rule.verbs.includes(verb) || !rule.resources.includes(resource)) return [rule]
    return [
      { ...rule, verbs: rule.verbs.filter(other => other !== verb) },
      { ...rule, resources: rule.resources.filter(other => other !== resource) },
    ].filter(({ verbs, resources }) => verbs.length > 0 && resources.length > 0)
  })
}

const rights = documented('arcade').flatMap(({ verbs, resources }) =>
  resources.flatMap(resource => verbs.map(verb => [verb, resource] as const)),
)

/** Runs an operator with these rights and a webhook of either kind. `before`: what there is before it. */
async function withRights(
  rules: readonly Rule[],
  body: (one: Replica, client: Client) => Promise<void>,
  before: (client: Client, server: EmbeddedApiServer) => Promise<unknown> = async () => {},
): Promise<void> {
  const tokens = { 'a-token': { name: 'operator', groups: [] } }
  await using server = await startApiServer({ authorization: 'RBAC', tokens })
  const { url, ca, token } = server
  await using client = new Client({ url, ca, token })
  const name = 'operator'
  await client.create(clusterRoles, { metadata: { name }, rules: [...rules] })
  await client.create(clusterRoleBindings, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }],
  })
  await before(client, server)
  const one = replica({ url, ca, token: 'a-token' })
  one.webhooks
    .webhook('limits')
    .for(games)
    .validate(({ name: asked, deny }) => {
      if (asked === 'probe') deny('it is a probe')
    })
  one.webhooks
    .webhook('owner')
    .for(games)
    .mutate(() => {})
  const old = defineResource({ ...games.resource, version: 'v1beta1' })
  one.webhooks.convert(new Conversion(games).version(old, { toHub: () => ({}), fromHub: () => ({}) }))
  one.run()
  try {
    await body(one, client)
  } finally {
    await one.close()
  }
}

/** A Secret without authorities, which the operator writes again. */
const emptySecret = (client: Client): Promise<unknown> =>
  client.create(secrets, { metadata: { namespace: 'default', name: 'arcade-webhook-authorities' } })

/** The first watch of each view is refused as by a server that does not stream lists: the operator lists. */
async function noStreams({ faults }: EmbeddedApiServer): Promise<void> {
  for (const { resources, apiGroups } of documented('arcade'))
    for (const plural of resources) {
      const resource = [plural, ...apiGroups].filter(part => part !== '').join('.')
      await faults.add({
        match: { verb: 'watch', resource },
        nth: 1,
        effect: { kind: 'status', code: 422, reason: 'Invalid' },
      })
    }
}

describe('the rights that the documentation names', () => {
  it.each([
    ['no Secret', prepare],
    ['an empty Secret', (client: Client) => Promise.all([prepare(client), emptySecret(client)])],
  ])(
    'B3: are enough for an operator that finds %s',
    async (_title, before) => {
      expect(rights).toHaveLength(15)
      const body = async (one: Replica, client: Client): Promise<void> => {
        await called(client)
        expect(one.errors).toEqual([])
      }
      await withRights(documented('arcade'), body, before)
    },
    120_000,
  )

  it.each(rights)('B3: are needed: without %s of %s an error names both', async (verb, resource) => {
    const says = ({ message }: Error): boolean => message.includes(resource) && message.includes(`cannot ${verb} `)
    const body = (one: Replica): Promise<void> => until(() => expect(one.errors.some(says)).toBe(true))
    const before = (client: Client, server: EmbeddedApiServer): Promise<unknown> | undefined => {
      if (verb === 'list') return noStreams(server)
      if (resource === 'customresourcedefinitions') return prepare(client)
      return verb === 'patch' && resource === 'secrets' ? emptySecret(client) : undefined
    }
    await withRights(without(verb, resource), body, async (client, server) => before(client, server))
  })
})
