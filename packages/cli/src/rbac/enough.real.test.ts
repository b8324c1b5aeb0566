import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { type ApiServer, recordRights, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { run } from '../testkit/run.ts'

const available = await realApiServerAvailable('the test of rights that were recorded')
const kinds = available ? (['embedded', 'real'] as const) : (['embedded'] as const)

type Grants = Parameters<ApiServer['account']>[0]

interface Role {
  readonly kind: 'Role' | 'ClusterRole'
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly rules: readonly { readonly verbs: readonly string[]; readonly resourceNames?: readonly string[] }[]
}

const namespace = 'default'
const everything = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]

/** What the operator does in its test: it reads three Secrets by name, and keeps a ConfigMap. */
async function operate(client: Client): Promise<void> {
  for (const name of ['key', 'license', 'token']) {
    const view = secrets.within({ namespaces: [namespace], fields: { 'metadata.name': name } })
    const { items } = await client.list(view)
    expect(items).toHaveLength(1)
    for await (const event of client.watch(view)) {
      expect(event.type).toBe('ADDED')
      break
    }
  }
  const key = { namespace, name: 'keys' }
  await client.create(configMaps, { metadata: key, data: { a: '1' } })
  await client.patch(configMaps, key, { data: { a: '2' } })
  expect((await client.get(configMaps, key))?.data).toEqual({ a: '2' })
  await client.delete(configMaps, key)
}

/** Runs the operator with just these rights, and returns its user. */
async function operateWith(server: ApiServer, grants: Grants, name: string): Promise<string> {
  const { token, user } = await server.account(grants, { name })
  await using client = new Client({ url: server.url, ca: server.ca, token })
  await operate(client)
  return user
}

it.each(kinds)(
  'K4: a test passes with exactly the rights that it used, and fails without any one of them: %s',
  async kind => {
    const roles = await usedRoles()
    const embedded = () => startApiServer({ authorization: 'RBAC' })
    await using server = await (kind === 'real' ? sharedRealServer() : embedded())
    await using admin = new Client({ url: server.url, ca: server.ca, token: server.token })
    await createSecrets(admin)
    await operateWith(server, roles, 'exact')

    const { token } = await server.account(roles, { name: 'curious' })
    await using curious = new Client({ url: server.url, ca: server.ca, token })
    await expect(curious.list(secrets)).rejects.toMatchObject({ status: 403 })
    await expect(curious.list(secrets.within({ namespaces: [namespace] }))).rejects.toMatchObject({ status: 403 })

    const less = roles.flatMap(lacking)
    expect(less.map(({ lacks }) => lacks).sort()).toEqual(['create', 'delete', 'get', 'list', 'patch', 'watch'])
    for (const { role, lacks } of less) {
      const others = roles.filter(one => one.metadata.namespace !== role.metadata.namespace)
      const lesser = operateWith(server, [...others, role], `without-${lacks}`)
      await expect(lesser, lacks).rejects.toMatchObject({ status: 403 })
      await admin.delete(configMaps, { namespace, name: 'keys' })
    }
  },
)

/** The roles that `wherry rbac` makes of a run with all rights on an embedded server. */
async function usedRoles(): Promise<Role[]> {
  const folder = await mkdtemp(join(tmpdir(), 'wherry-enough-'))
  try {
    // In a process of its own, since a user's may be.
    await using server = await startApiServer({ authorization: 'RBAC', isolate: true })
    await using admin = new Client({ url: server.url, ca: server.ca, token: server.token })
    await createSecrets(admin)
    const user = await operateWith(server, everything, 'first')
    await recordRights(server, { user, test: 'keeps keys', folder })
    const { stdout } = await run('rbac --rights . --fixed-name secrets', folder)
    return parseAllDocuments(stdout).map(one => one.toJS())
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function createSecrets(admin: Client): Promise<void> {
  for (const name of ['key', 'license', 'token', 'of-another'])
    await admin.create(secrets, { metadata: { namespace, name }, stringData: { a: 'b' } })
}

/** The role without one verb of one rule, for each of them. */
function lacking(role: Role): { readonly role: Role; readonly lacks: string }[] {
  return role.rules.flatMap((rule, at) =>
    rule.verbs.map(lacks => {
      const verbs = rule.verbs.filter(verb => verb !== lacks)
      const rules = verbs.length === 0 ? role.rules.toSpliced(at, 1) : role.rules.with(at, { ...rule, verbs })
      return { role: { ...role, rules }, lacks }
    }),
  )
}
