import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { run } from '../testkit/run.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-program-test-'))
  await mkdir(join(folder, '.wherry/rights'), { recursive: true })
  const rights = [{ verb: 'watch', group: '', resource: 'pods', namespace: 'default' }]
  await writeFile(join(folder, '.wherry/rights/a.json'), JSON.stringify({ test: 'plays', rights }))
})

afterEach(() => rm(folder, { recursive: true }))

const program = (text: string): Promise<void> => writeFile(join(folder, 'main.mjs'), text)

/** Publishes what an operator would, with the namespace of its kubeconfig. */
const publishing = `
import { channel } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
const { users, clusters, contexts } = JSON.parse(readFileSync(process.env.KUBECONFIG, 'utf8'))
const { namespace } = contexts[0].context
const { server } = clusters[0].cluster
const run = () => {
  const by = 'controller pod: for'
  const rights = ['list', 'watch'].map(verb => ({ verb, group: '', resource: 'pods', namespace, by }))
  channel('wherry.operator.run').publish({ name: 'pod', leader: false, namespaces: [namespace], rights })
  console.log('the operator goes on')
}
`

it('K4: grants what a program declares, names the declaring controller, and does not let the program go on', async () => {
  await program(`${publishing}run()`)
  const { status, stdout, stderr } = await run('rbac main.mjs --name pod', folder)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain('kind: Role\nmetadata:\n  name: pod\n  namespace: pod\n')
  expect(stdout).toContain('  # controller pod: for\n  # plays\n')
  expect((await run('rbac main.mjs --namespace arcade', folder)).stdout).toContain('  namespace: arcade\n')
})

it('K4: what a program requests before its operator runs is granted', async () => {
  await program(`${publishing}
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
const headers = { authorization: 'Bearer ' + users[0].user.token }
const url = server + '/api/v1/nodes'
if (!(await fetch(url, { headers })).ok) throw new Error('refused')
run()`)
  const { stdout } = await run('rbac main.mjs', folder)
  expect(stdout).toContain('  # main.mjs, before its operator runs\n')
  expect(stdout).toMatch(/resources:\n {6}- nodes\n {4}verbs:\n {6}- list\n/)
})

it('K4: a program finds the definitions of its project in the cluster', async () => {
  const definition = {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: 'games.arcade.example.com' },
    spec: {
      ...{ group: 'arcade.example.com', scope: 'Namespaced', names: { plural: 'games', kind: 'Game' } },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  }
  await mkdir(join(folder, 'deploy/crd'), { recursive: true })
  await writeFile(join(folder, 'deploy/crd/games.json'), JSON.stringify(definition))
  await program(`${publishing}
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
const headers = { authorization: 'Bearer ' + users[0].user.token }
const { items } = await (await fetch(server + '/apis/arcade.example.com/v1/games', { headers })).json()
if (items === undefined) throw new Error('not served')
run()`)
  expect(await run('rbac main.mjs', folder)).toMatchObject({ status: 0, stderr: '' })
})

it('K4: what is declared and no test used is named on stderr, and --strict fails', async () => {
  await program(publishing.replaceAll("'pods'", "'services'").concat('run()'))
  const { status, stderr, stdout } = await run('rbac main.mjs', folder)
  expect(status).toBe(0)
  const line = (verb: string): string =>
    `wherry: no test used what main.mjs declares: ${verb} services (controller pod: for)\n`
  expect(stderr).toBe(line('list') + line('watch'))
  expect(stdout).toContain('- services')
  expect(await run('rbac main.mjs --strict', folder)).toMatchObject({ status: 1, stdout: '' })
})

it('K4: a declaration that another version publishes is refused', async () => {
  await program(`${publishing.replace('namespace, by }', 'namespace, of: by }')}run()`)
  const { status, stderr } = await run('rbac main.mjs', folder)
  expect(status).toBe(1)
  expect(stderr).toContain('main.mjs has a @wherry/controller of another version')
})

it.each([
  ['', 'main.mjs ended with 0: it never called run of an Operator'],
  ['throw new Error("no port")', 'no port'],
  ['process.exit(7)', 'main.mjs ended with 7'],
  ['process.kill(process.pid, "SIGKILL")', 'main.mjs ended with SIGKILL'],
])('K4: a program that ends before its operator runs is refused, with what it wrote: %s', async (text, message) => {
  await program(text)
  const { status, stderr } = await run('rbac main.mjs', folder)
  expect(status).toBe(1)
  expect(stderr).toContain(message)
})
