import { readFileSync } from 'node:fs'
import { Client } from '@wherry/client'
import { clusterRoleBindings, clusterRoles } from '@wherry/client/resources/rbac'
import { startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { called, prepare } from './testkit/admissions.ts'
import { games } from './testkit/games.ts'
import { replica } from './testkit/own.ts'

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
    .filter(line => /^\| `(secrets|validating)/.test(line))
    .map(line => {
      const [, resources, verbs, names] = line.split('|')
      const resourceNames = quoted(names).map(name => name.replace('NAME', operator))
      return {
        apiGroups: [line.includes('secrets') ? '' : 'admissionregistration.k8s.io'],
        ...{ resources: quoted(resources), verbs: quoted(verbs) },
        ...(resourceNames.length > 0 && { resourceNames }),
      }
    })
}

it('B3: an operator with the rights that the documentation names is trusted', async () => {
  const tokens = { 'a-token': { name: 'operator', groups: [] } }
  const server = await startApiServer({ authorization: 'RBAC', tokens })
  const { url, ca, token } = server
  const client = new Client({ url, ca, token })
  const rules = documented('arcade')
  expect(rules).toHaveLength(4)
  const name = 'operator'
  await client.create(clusterRoles, { metadata: { name }, rules })
  await client.create(clusterRoleBindings, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }],
  })
  await prepare(client)
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
  one.run()
  await called(client)
  expect(one.errors).toEqual([])
  await one.close()
  await client.close()
  await server.close()
}, 120_000)
