import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readYaml } from '@wherry/crd/internal'
import type { UsedRight } from '@wherry/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { recordIn } from '../testkit/published.ts'
import { run } from '../testkit/run.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-rbac-'))
})

afterEach(() => rm(folder, { recursive: true }))

const games = { group: 'arcade.example.com', resource: 'games' }
const secrets = { group: '', resource: 'secrets', namespace: 'default' }

const record = (file: string, test: string, rights: readonly UsedRight[]): Promise<void> =>
  writeFile(join(folder, file), JSON.stringify({ test, rights }))

/** Three Secrets by name, and games in the whole cluster. */
async function recordGame(): Promise<void> {
  const names = ['key', 'license', 'token']
  await record(
    'b.json',
    'reads its\nSecrets',
    names.flatMap(name => ['list', 'watch', 'get'].map(verb => ({ verb, ...secrets, name }))),
  )
  await record('a.json', 'plays', [
    { verb: 'watch', ...games },
    { verb: 'list', ...games },
    { verb: 'patch', group: games.group, resource: 'games/status', namespace: 'default', name: 'tetris' },
    { verb: 'patch', group: '', resource: 'configmaps', namespace: 'default', name: 'tetris' },
    { verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' },
    { verb: 'get', path: '/apis' },
    { verb: 'get', path: '/metrics' },
  ])
}

const golden = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: game
rules:
  # plays
  - apiGroups:
      - ""
    resources:
      - configmaps
    verbs:
      - patch
  # plays
  - apiGroups:
      - arcade.example.com
    resources:
      - games
    verbs:
      - list
      - watch
  # plays
  - apiGroups:
      - arcade.example.com
    resources:
      - games/status
    verbs:
      - patch
  # plays
  - nonResourceURLs:
      - /metrics
    verbs:
      - get
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: game
  namespace: default
rules:
  # reads its Secrets
  - apiGroups:
      - ""
    resources:
      - secrets
    resourceNames:
      - key
      - license
      - token
    verbs:
      - get
      - list
      - watch
`

it('K4: grants what tests used, with the test that needs it, and Secrets by name', async () => {
  await recordGame()
  expect(await run('rbac --rights . --name game --fixed-name secrets', folder)).toEqual({
    status: 0,
    stdout: golden,
    stderr: '',
  })
})

it('K4: leaves out the rights of a test if its file is gone, and reports it', async () => {
  const rights = [{ verb: 'delete', group: '', resource: 'configmaps', namespace: 'game' }]
  await recordIn(folder, 'plays', [{ verb: 'list', group: '', resource: 'pods', namespace: 'game' }])
  const gone = JSON.stringify({ test: 'deletes', file: 'test/gone.test.ts', rights })
  await writeFile(join(folder, '.wherry/rights/deletes.json'), gone)
  const { status, stdout, stderr } = await run('rbac', folder)
  expect(status).toBe(0)
  expect(stdout).toContain('pods')
  expect(stdout).not.toContain('configmaps')
  expect(stderr).toContain(`test/gone.test.ts is gone: ${join('.wherry/rights/deletes.json')} is left out`)
})

it('K4: names are in the roles, or not, as the user says', async () => {
  await recordGame()
  expect((await run('rbac --rights . --any-name secrets', folder)).stdout).not.toContain('resourceNames')
  const { stdout } = await run('rbac --rights . --fixed-name configmaps secrets', folder)
  expect(stdout).toContain('      - configmaps\n    resourceNames:\n      - tetris\n')
})

it('K4: a resource that is in no view is granted in its namespace if all views are there', async () => {
  const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace: 'system' }
  const event = { verb: 'create', group: 'events.k8s.io', resource: 'events', namespace: 'default' }
  const view = { verb: 'watch', ...games, namespace: 'default' }
  const kinds = async () => (await run('rbac --rights .', folder)).stdout.match(/^kind: .*|^ {2}namespace: .*/gm)
  await record('a.json', 'plays', [event, { ...lease, verb: 'create' }, view])
  expect(await kinds()).toEqual(['kind: Role', '  namespace: default', 'kind: Role', '  namespace: system'])
  await record('b.json', 'plays elsewhere', [
    { ...view, namespace: 'other' },
    { verb: 'list', group: '', resource: 'nodes' },
  ])
  expect(await kinds()).toEqual(['kind: ClusterRole', 'kind: Role', '  namespace: system'])
})

it('K4: creation and the deletion of many are never granted by name', async () => {
  const named = ['watch', 'update', 'create', 'deletecollection'].map(verb => ({ verb, ...secrets, name: 'key' }))
  await record('a.json', 'plays', named)
  const { stdout } = await run('rbac --rights . --fixed-name secrets', folder)
  expect(stdout.split('resourceNames:')[1]).toMatch(/- key\n {4}verbs:\n {6}- list\n {6}- watch\n {6}- update\n {2}#/)
  expect(stdout).toMatch(/resources:\n {6}- secrets\n {4}verbs:\n {6}- create\n {6}- deletecollection\n$/)
})

it('K4: asks for --fixed-name or --any-name if neither is said of a resource that is watched by name only', async () => {
  await recordGame()
  const { status, stderr } = await run('rbac --rights .', folder)
  expect(status).toBe(2)
  expect(stderr).toContain('secrets by name only (key, license, token): say --fixed-name secrets if')
})

it('K4: what roles of the user grant is left out', async () => {
  await recordGame()
  const role = (kind: string, rule: object, namespace?: string): string =>
    JSON.stringify({
      kind,
      metadata: { name: 'mine', namespace },
      rules: [{ verbs: ['*'], apiGroups: ['*'], ...rule }],
    })
  const left = async (mine: string): Promise<readonly string[]> => {
    await writeFile(join(folder, 'mine.yaml'), mine)
    const { stdout } = await run('rbac --rights . --fixed-name secrets --granted mine.yaml', folder)
    return stdout.match(/(?<=resources:\n {6}- ).*/g) ?? []
  }
  const games = ['games', 'games/status']
  expect(await left(role('ClusterRole', { resources: ['configmaps'] }))).toEqual([...games, 'secrets'])
  expect(await left(role('ClusterRole', { resources: ['*'] }))).toEqual([])
  expect(await left(role('Role', { resources: ['*'] }, 'other'))).toEqual(['configmaps', ...games, 'secrets'])
  expect(await left(role('Role', { resources: ['*'] }, 'default'))).toEqual(['configmaps', ...games])
  const one = { resources: ['secrets'], resourceNames: ['key', 'license'], verbs: ['get'] }
  expect(await left(role('Role', one, 'default'))).toEqual(['configmaps', ...games, 'secrets'])
  expect(await left(role('Role', { ...one, resourceNames: ['key', 'license', 'token'] }, 'default'))).toHaveLength(4)
})

const rbacGroup = 'rbac.authorization.k8s.io'
const create = { verb: 'create', group: rbacGroup, resource: 'roles', namespace: 'default' }
const reads = ['get', 'list'].map(verb => ({ verb, group: '', resource: 'pods', namespace: 'default' }))
const metrics = { verb: 'get', path: '/metrics' }
const escalate = {
  ...{ verb: 'escalate', group: rbacGroup, resource: 'roles', namespace: 'default' },
  grants: [...reads, metrics],
}

/** Rules as `get,list pods`, with the namespace of a Role. */
async function rules(line: string): Promise<readonly string[]> {
  const { stdout, stderr } = await run(`rbac --rights . ${line}`, folder)
  expect(stderr).toBe('')
  return readYaml(stdout).flatMap(one => {
    const { metadata, rules } = one as { metadata: { namespace?: string }; rules: Readonly<Record<string, string[]>>[] }
    return rules.map(({ verbs, resources, nonResourceURLs }) =>
      [metadata.namespace ?? 'cluster', verbs, resources ?? nonResourceURLs].join(' '),
    )
  })
}

it('K4: rights that the operator grants to others are its own, or it may escalate, as the user says', async () => {
  await record('a.json', 'makes a role', [create, escalate])
  expect(await rules('--granting escalate')).toEqual(['default create,escalate roles'])
  expect(await rules('--granting hold')).toEqual([
    'cluster get /metrics',
    'default get,list pods',
    'default create roles',
  ])
  expect(await run('rbac --rights .', folder)).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(
      /\(get pods, list pods, get \/metrics\).*say --granting hold if .*; or --granting escalate \(escalate roles\) if/,
    ),
  })
})

it('K4: an operator that has the rights that it grants is not asked', async () => {
  await record('a.json', 'makes a role', [create, { ...escalate, grants: reads }])
  await record('b.json', 'reads pods', [reads[0] as UsedRight])
  expect(await run('rbac --rights .', folder)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('(list pods)'),
  })
  await record('b.json', 'reads pods', [
    { ...(reads[0] as UsedRight), namespace: undefined },
    { ...(reads[1] as UsedRight), name: 'a' },
    { ...(reads[1] as UsedRight) },
  ])
  expect(await rules('')).toEqual(['cluster get,list pods', 'default create roles'])
  const mine = (resources: readonly string[], verbs: readonly string[], apiGroups = ['']) =>
    writeFile(
      join(folder, 'mine.yaml'),
      JSON.stringify({ kind: 'ClusterRole', metadata: {}, rules: [{ verbs, apiGroups, resources }] }),
    )
  await rm(join(folder, 'b.json'))
  await mine(['pods'], ['get', 'list'])
  expect(await rules('--granted mine.yaml')).toEqual(['default create roles'])
  await mine(['roles'], ['escalate'], [rbacGroup])
  expect(await rules('--granted mine.yaml')).toEqual(['default create roles'])
  await mine(['pods'], ['get'])
  expect(await run('rbac --rights . --granted mine.yaml', folder)).toMatchObject({ status: 2 })
})

it('K4: a right that is granted by name is had with the right to every name, in its namespace or everywhere', async () => {
  const pod = { ...(reads[0] as UsedRight), name: 'a' }
  await record('a.json', 'makes a role', [create, { ...escalate, grants: [pod] }])
  await record('b.json', 'reads pods', [reads[0] as UsedRight])
  expect(await rules('')).toEqual(['default get pods', 'default create roles'])
  await record('b.json', 'reads a pod', [{ ...pod, name: 'b' }])
  expect(await run('rbac --rights .', folder)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('(get pods)'),
  })
})

it('K4: of the rights that are granted to others and not had, five are named and the others counted', async () => {
  const grants = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(resource => ({ verb: 'get', group: '', resource }))
  const asked = async (count: number): Promise<string> => {
    const bind = { ...escalate, verb: 'bind', grants: grants.slice(0, count) }
    await record('a.json', 'makes a role', [create, { ...escalate, grants: grants.slice(0, count) }, bind])
    return (await run('rbac --rights .', folder)).stderr
  }
  expect(await asked(5)).toContain('(get a, get b, get c, get d, get e), which')
  expect(await asked(7)).toContain('(get a, get b, get c, get d, get e, and 2 more), which')
  expect(await asked(7)).toContain('--granting escalate (escalate roles, bind roles) if')
})

it('K4: more than three tests are counted', async () => {
  for (const test of ['a', 'b', 'c', 'd', 'e']) await record(`${test}.json`, test, [{ verb: 'watch', ...games }])
  expect((await run('rbac --rights .', folder)).stdout).toContain(
    'rules:\n  # a\n  # b\n  # c\n  # and 2 more\n  - api',
  )
})

it('K4: a right that disappears from a file is said, by the command that writes it and by its check', async () => {
  await recordGame()
  const line = `rbac --rights . --name game --fixed-name secrets --out .`
  expect((await run(line, folder)).status).toBe(0)
  await record('a.json', 'plays', [{ verb: 'list', ...games }])
  const lost = [
    'patch configmaps',
    'watch games.arcade.example.com',
    'patch games.arcade.example.com/status',
    'get /metrics',
  ]
  const lines = (verb: string) => lost.map(right => `wherry: game.rbac.yaml ${verb} ${right}\n`).sort()
  const check = await run(`${line} --check`, folder)
  expect(check.status).toBe(1)
  expect(
    check.stderr
      .split(/(?<=\n)/)
      .filter(one => one.includes('no longer'))
      .sort(),
  ).toEqual(lines('would no longer grant'))
  const written = await run(line, folder)
  expect([written.status, written.stdout]).toEqual([0, 'game.rbac.yaml: written\n'])
  expect(written.stderr.split(/(?<=\n)/).sort()).toEqual(lines('no longer grants'))
  // What is added, or only moved, is nothing that is lost.
  await recordGame()
  expect(await run(line, folder)).toMatchObject({ status: 0, stderr: '' })
})

it('K4: --check fails for a file that is missing or stale, and says how to renew it', async () => {
  await recordGame()
  const line = 'rbac --rights . --name game --out deploy --fixed-name secrets'
  const file = join('deploy', 'game.rbac.yaml')
  const renews = `wherry: files are not current; this command renews them: wherry rbac --rights . --fixed-name secrets --name game --out deploy\n`
  expect(await run(`${line} --check`, folder)).toEqual({ status: 1, stdout: `${file}: missing\n`, stderr: renews })
  expect((await run(line, folder)).stdout).toBe(`${file}: written\n`)
  expect(await run(`${line} --check`, folder)).toEqual({ status: 0, stdout: `${file}: current\n`, stderr: '' })
  await record('c.json', 'scores', [{ verb: 'delete', ...games, namespace: 'default', name: 'tetris' }])
  expect(await run(`${line} --check`, folder)).toEqual({ status: 1, stdout: `${file}: stale\n`, stderr: renews })
  await run(line, folder)
  expect(await readFile(join(folder, file), 'utf8')).toContain('# scores')
})

it.each([
  ['rbac --rights nowhere', 1, 'no rights are recorded in nowhere'],
  ['rbac --rights . --check', 2, '--check needs --out'],
  ['rbac --rights . --any-name secret', 2, 'no test used secret'],
  ['rbac --rights . --granted none.yaml', 2, "none.yaml can't be read"],
  ['rbac --rights . --granted a.json', 1, 'a.json has no Role'],
  ['rbac --rights . --own secret', 2, 'no test used secret'],
  ['rbac --rights . --granting all', 2, 'Allowed choices are hold, escalate'],
  ['rbac --rights . --granting hold', 2, 'no test granted a right'],
  ['rbac --rights . --any-name secrets --fixed-name secrets', 2, 'take one of them'],
])('K4: %s ends with %i', async (line, status, message) => {
  await recordGame()
  const ran = await run(line, folder)
  expect(ran).toMatchObject({ status, stdout: '' })
  expect(ran.stderr).toContain(message)
})

const grantsOf = (grants: string): string =>
  `{"test":"a","rights":[{"verb":"escalate","group":"","resource":"roles","grants":${grants}}]}`

it.each([
  '{',
  '{}',
  '{"test":"a","rights":[{}]}',
  '{"test":"a","rights":[{"verb":"get"}]}',
  'null',
  grantsOf('{}'),
  grantsOf('[{}]'),
])('K4: a file that holds %s is named', async text => {
  await writeFile(join(folder, 'a.json'), text)
  expect(await run('rbac --rights .', folder)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('a.json is not a file'),
  })
})
