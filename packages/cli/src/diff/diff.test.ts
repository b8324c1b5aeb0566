import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { definitionYaml } from '@wherry/crd'
import { startApiServer } from '@wherry/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { arcade, game } from '../testkit/arcade.crd.ts'
import { temporaryProject } from '../testkit/project.ts'
import { run, testkit } from '../testkit/run.ts'

afterEach(() => vi.unstubAllEnvs())

const name = 'games.arcade.example.com'

/** The definition of games with other limits of players. */
function limited(limits: object): CustomResourceDefinition {
  const definition = structuredClone<CustomResourceDefinition>(game.definition)
  const spec = definition.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.spec
  Object.assign(spec?.properties?.players ?? {}, limits)
  return definition
}

const tighter = definitionYaml(limited({ minimum: 0, maximum: 3 }))

describe('wherry crd --diff', () => {
  it('K6: says what breaks stored objects, where and what to do, and fails', async () => {
    const old = definitionYaml(limited({ minimum: 0 }))
    expect(await run('crd arcade.crd.ts --diff -', undefined, old)).toEqual({
      status: 1,
      stdout: [
        `breaks stored objects  ${name} v1 spec.players: minimum is 1, was 0`,
        '                       Keep the old limit, or change the objects that exceed the new one first.',
        'safe                   arcades.arcade.example.com: new definition',
        '',
      ].join('\n'),
      stderr: 'wherry: changes that are not safe: 1 of 2\n',
    })
  })

  it('prints them as JSON, a line each', async () => {
    const { status, stdout } = await run('crd arcade.crd.ts --diff - --json', undefined, tighter)
    const lines = stdout.trimEnd().split('\n')
    expect([status, lines.map(line => JSON.parse(line))]).toEqual([
      1,
      [
        expect.objectContaining({ name, version: 'v1', path: 'spec.players', verdict: 'breaks stored objects' }),
        expect.objectContaining({ name, change: 'maximum is none, was 3', verdict: 'safe', advice: '' }),
        expect.objectContaining({ name: 'arcades.arcade.example.com', change: 'new definition' }),
      ],
    ])
  })

  it('succeeds if nothing is unsafe', async () => {
    const both = `${definitionYaml(limited({ maximum: 3 }))}---\n${definitionYaml(arcade.definition)}`
    expect(await run('crd arcade.crd.ts --diff -', undefined, both)).toEqual({
      status: 0,
      stdout: `safe                   ${name} v1 spec.players: maximum is none, was 3\n`,
      stderr: '',
    })
  })

  it('K6: counts the conversions that a kustomization patches into the definitions', async () => {
    const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } }
    const { spec } = game.definition
    const old = definitionYaml({ ...game.definition, spec: { ...spec, conversion } as typeof spec })
    const bare = await run('crd arcade.crd.ts --diff -', undefined, old)
    expect([bare.status, bare.stdout.includes('spec.conversion.strategy: None, was Webhook')]).toEqual([1, true])
    const folder = await mkdtemp(join(tmpdir(), 'wherry-kustomized-'))
    const file = join(folder, 'kustomization.yaml')
    const write = (value: object, of = name): Promise<void> => {
      const patch = JSON.stringify([{ op: 'add', path: '/spec/conversion', value }])
      return writeFile(
        file,
        JSON.stringify({ patches: [{ target: { kind: 'CustomResourceDefinition', name: of }, patch }] }),
      )
    }
    await write(conversion)
    const line = `crd arcade.crd.ts --diff - --kustomization ${file}`
    expect(await run(line, undefined, old)).toMatchObject({ status: 0, stderr: '' })
    await write(conversion, 'others.arcade.example.com')
    expect((await run(line, undefined, old)).status).toBe(1)
    await write({ strategy: 'None' })
    expect((await run(line, undefined, old)).stdout).toContain('spec.conversion.strategy: None, was Webhook')
    await rm(folder, { recursive: true })
  })

  it.for([
    ['crd arcade.crd.ts --kustomization deploy/kustomization.yaml', '--kustomization needs --diff'],
    ['crd arcade.crd.ts --diff - --kustomization none.yaml', "none.yaml can't be read"],
    ['crd arcade.crd.ts --diff none.yaml', "none.yaml can't be read"],
    ['crd arcade.crd.ts --diff every.yaml', 'every.yaml has none of games.arcade.example.com'],
    ['crd arcade.crd.ts --diff - --check --out crd', '--diff writes and checks no files'],
    ['crd arcade.crd.ts --diff cluster:none', "can't be read from the cluster"],
  ] as const)('takes "%s" for wrong usage', async ([line, words]) => {
    vi.stubEnv('KUBECONFIG', join(testkit, 'none.yaml'))
    const { status, stdout, stderr } = await run(line)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(words)
  })

  it('asks the cluster of a context, which knows the versions that objects are stored at', async () => {
    await using server = await startApiServer({ kind: 'embedded' })
    const client = new Client({ url: server.url, ca: server.ca, token: server.token })
    const old = limited({})
    const [v1] = old.spec.versions
    if (v1 === undefined) throw new Error('the definition has no version')
    // Objects are stored at v1alpha1 first, and then at v1.
    const both = (storage: string) => [
      { ...v1, storage: storage === 'v1' },
      { ...v1, name: 'v1alpha1', storage: storage !== 'v1' },
    ]
    await client.create(customResourceDefinitions, { ...old, spec: { ...old.spec, versions: both('v1alpha1') } })
    await client.patch(customResourceDefinitions, { name }, { spec: { versions: both('v1') } })
    await client.close()
    await using project = await temporaryProject()
    const file = join(project.folder, 'kubeconfig')
    await server.writeKubeconfig(file)
    vi.stubEnv('KUBECONFIG', file)
    const current = await run('crd arcade.crd.ts --diff cluster')
    expect(current).toEqual({
      status: 1,
      stdout: expect.stringContaining(`${name} v1alpha1: version removed that is in storedVersions`),
      stderr: expect.any(String),
    })
    expect(current.stdout).toContain(`npx @wherry/storage-migrator ${name}`)
    const context = server.kubeconfig['current-context']
    expect(await run(`crd arcade.crd.ts --diff cluster:${context}`)).toEqual(current)
  })
})
