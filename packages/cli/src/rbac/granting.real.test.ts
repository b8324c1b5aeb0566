import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { roleBindings, roles } from '@wherry/client/resources/rbac'
import { readYaml } from '@wherry/crd/internal'
import { type ApiServer, recordRights, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { expect, it } from 'vitest'
import { run } from '../testkit/run.ts'

const available = await realApiServerAvailable('the test of operators that grant rights')
const kinds = available ? (['embedded', 'real'] as const) : (['embedded'] as const)

type Grants = Parameters<ApiServer['account']>[0]

const namespace = 'default'
const everything = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]
const rbac = 'rbac.authorization.k8s.io'

/** What the operator does: it gives a ServiceAccount a role of its own, and the ClusterRole view. */
async function operate(client: Client): Promise<void> {
  const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['key'] }]
  const subjects = [{ kind: 'ServiceAccount', name: 'game', namespace }]
  await client.create(roles, { metadata: { name: 'game', namespace }, rules })
  for (const [kind, name] of [
    ['Role', 'game'],
    ['ClusterRole', 'system:public-info-viewer'],
  ] as const) {
    const metadata = { name: `game-${kind.toLowerCase()}`, namespace }
    await client.create(roleBindings, { metadata, roleRef: { apiGroup: rbac, kind, name }, subjects })
  }
}

async function operateWith(server: ApiServer, grants: Grants, name: string): Promise<string> {
  const { token, user } = await server.account(grants, { name })
  await using client = new Client({ url: server.url, ca: server.ca, token })
  await operate(client)
  return user
}

/** Runs the operator with all rights on an embedded server, and then the command. */
async function rolesOf(line: string, folder: string): Promise<Grants> {
  const { stdout, stderr } = await run(`rbac --rights . ${line}`, folder)
  expect(stderr).toBe('')
  return readYaml(stdout) as unknown as Grants
}

it.each(kinds)(
  'K4: an operator that makes roles works with each way that the user names, and with no less: %s',
  async kind => {
    const folder = await mkdtemp(join(tmpdir(), 'wherry-granting-'))
    try {
      await using recording = await startApiServer({ authorization: 'RBAC' })
      const user = await operateWith(recording, everything, 'first')
      await recordRights(recording, { user, test: 'grants', folder })
      const undecided = await run('rbac --rights .', folder)
      expect(undecided).toMatchObject({ status: 2, stdout: '' })
      expect(undecided.stderr).toContain('granted rights to others by roles or bindings (get secrets')
      const hold = await rolesOf('--granting hold', folder)
      const escalate = await rolesOf('--granting escalate', folder)
      const verbs = (grants: Grants): string =>
        grants
          .flatMap(one =>
            ('rules' in one ? (one.rules ?? []) : [one as { verbs: readonly string[] }]).flatMap(rule => rule.verbs),
          )
          .join()
      expect(verbs(hold)).not.toMatch(/escalate|bind/)
      expect(verbs(escalate)).toMatch(/escalate/)
      expect(verbs(escalate)).toMatch(/bind/)

      const embedded = () => startApiServer({ authorization: 'RBAC' })
      await using server = await (kind === 'real' ? sharedRealServer() : embedded())
      await using admin = new Client({ url: server.url, ca: server.ca, token: server.token })
      const clean = async (): Promise<void> => {
        for (const name of ['game-role', 'game-clusterrole']) await admin.delete(roleBindings, { namespace, name })
        await admin.delete(roles, { namespace, name: 'game' })
      }
      await operateWith(server, hold, 'holds')
      await clean()
      await operateWith(server, escalate, 'escalates')
      await clean()
      // Neither way: the rights that were recorded without what stands for them.
      const verbsOfGrants = ['escalate', 'bind']
      const plain = escalate.map(one => {
        const { rules = [], ...role } = one as { readonly rules?: readonly { readonly verbs: readonly string[] }[] }
        const without = rules.map(rule => ({
          ...rule,
          verbs: rule.verbs.filter(verb => !verbsOfGrants.includes(verb)),
        }))
        return { ...role, rules: without.filter(rule => rule.verbs.length > 0) }
      }) as unknown as Grants
      await expect(operateWith(server, plain, 'neither')).rejects.toMatchObject({
        status: 403,
        message: expect.stringContaining('attempting to grant RBAC permissions not currently held'),
      })
      // A POST has no name in its path, and a right to one name does not hold for it.
      const named = [
        ...plain,
        { verbs: ['escalate'], apiGroups: [rbac], resources: ['roles'], resourceNames: ['game'] },
      ] as Grants
      await expect(operateWith(server, named, 'named')).rejects.toMatchObject({ status: 403 })
    } finally {
      await rm(folder, { recursive: true })
    }
  },
)
