import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { startApiServer } from '@wherry/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { temporaryProject } from '../../packages/cli/src/testkit/project.ts'
import { run } from '../../packages/cli/src/testkit/run.ts'
import { migrateStorage } from '../../packages/storage-migrator/src/index.ts'
import {
  changeDefinition,
  defineLevels,
  levelDefinition,
  levelsName,
} from '../../packages/webhook/src/testkit/conversion/definition.ts'
import { levelConversion, levels, levelsV1beta1 } from '../../packages/webhook/src/testkit/conversion/levels.ts'
import { until } from '../../packages/webhook/src/testkit/on-a-server.ts'
import { replica } from '../../packages/webhook/src/testkit/own.ts'

afterEach(() => vi.unstubAllEnvs())

const here = import.meta.dirname
const command = 'convert levels.conversion.ts --check'
const level = (name: string, spec: object): object => ({
  ...{ apiVersion: 'arcade.example.com/v1', kind: 'Level', metadata: { namespace: 'default', name }, spec },
})
const listOf = (...items: object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items })

describe('wherry convert --check', () => {
  it('B4: names objects that fail, and fields that get lost', async () => {
    const board = { size: 3, color: 'red' }
    const objects = listOf(
      level('fine', { board: { size: 1 } }),
      level('lossy', { board }),
      level('lossy-2', { board }),
      level('bad', { word: 'bad' }),
      level('throws', { word: 'throws' }),
    )
    const failing = (version: string): string[] => [
      `fails  levels.arcade.example.com ${version} default/bad: spec.word: bad has no counterpart`,
      `fails  levels.arcade.example.com ${version} default/throws: its converter from arcade.example.com/v1 to arcade.example.com/${version} threw TypeError; the log of the operator says why (a secret: hunter2)`,
    ]
    const lost = (version: string): string =>
      `loses  levels.arcade.example.com ${version} spec.board.color: of default/lossy and 1 more`
    const ran = await run(`${command} -`, here, objects)
    expect(ran.stdout.split('\n').toSorted()).toEqual(
      [
        ...[...failing('v1alpha1'), ...failing('v1beta1'), lost('v1alpha1'), lost('v1beta1')],
        ...['levels.arcade.example.com: objects tried at 3 versions: 5', ''],
      ].toSorted(),
    )
    expect([ran.status, ran.stderr]).toEqual([1, 'wherry: conversions that fail or lose something: 6\n'])
  })

  it('takes fields that may get lost, and objects that come back as they were', async () => {
    const objects = listOf(level('lossy', { board: { size: 3, color: 'red' } }))
    expect(await run(`${command} - --loses spec.board.color`, here, objects)).toEqual({
      status: 0,
      stdout: 'levels.arcade.example.com: objects tried at 3 versions: 1\n',
      stderr: '',
    })
    const { status, stdout } = await run(`${command} - --json`, here, objects)
    expect([status, JSON.parse(stdout.split('\n')[0] ?? '')]).toEqual([
      1,
      {
        ...{ definition: 'levels.arcade.example.com', version: 'v1alpha1', finding: 'loses' },
        ...{ what: 'spec.board.color', count: 1, object: 'default/lossy' },
      },
    ])
  })

  it.each([
    [
      'convert ../docs/markdown.ts --check -',
      1,
      '../docs/markdown.ts has no conversion. Export what new Conversion(hub)',
    ],
    ['convert missing.ts --check -', 1, "missing.ts can't be loaded"],
    [`${command} missing.yaml`, 2, "missing.yaml can't be read"],
    [`${command} -`, 2, '- has no Level of arcade.example.com'],
    ['convert levels.conversion.ts', 2, '--check'],
  ])('%s fails, and says why', async (line, status, expected) => {
    const ran = await run(line, here, 'kind: Other\n')
    expect([ran.status, ran.stderr]).toEqual([status, expect.stringContaining(expected)])
  })

  it('B4: tries all objects of a cluster, and its migration goes on without those that fail', async () => {
    await using server = await startApiServer()
    await using project = await temporaryProject()
    const { url, ca, token } = server
    await using client = new Client({ url, ca, token })
    await defineLevels(client, 'v1beta1')
    for (let at = 0; at < 12; at += 1) {
      const name = `level-${at}`
      const word = at === 3 || at === 7 ? 'bad' : 'fine'
      await client.create(levelsV1beta1, { metadata: { namespace: 'default', name }, spec: { size: `${at}`, word } })
    }
    const kubeconfig = join(project.folder, 'kubeconfig')
    await writeFile(kubeconfig, JSON.stringify(server.kubeconfig))
    vi.stubEnv('KUBECONFIG', kubeconfig)
    const failing = async (): Promise<string[]> =>
      (await run(`${command} cluster`, here)).stdout.split('\n').filter(line => line.startsWith('fails'))
    // Both failing objects, to two versions each.
    expect((await failing()).map(line => line.split(/[ :]+/).slice(2, 4).join(' ')).toSorted()).toEqual([
      ...['v1 default/level-3', 'v1 default/level-7', 'v1alpha1 default/level-3', 'v1alpha1 default/level-7'],
    ])
    const operator = replica(server)
    try {
      operator.webhooks.convert(levelConversion())
      operator.run()
      await until(async () => {
        const live = await client.get(customResourceDefinitions, levelsName)
        expect(live?.spec.conversion?.webhook?.clientConfig?.caBundle).toEqual(expect.any(String))
      })
      await changeDefinition(client, ({ spec }) => {
        spec.versions = levelDefinition('v1').spec.versions
      })
      await until(async () => {
        await client.get(levels, { namespace: 'default', name: 'level-0' })
        const report = await migrateStorage({ client, definition: levelsName.name, chunkSize: 5 })
        expect(report).toMatchObject({ outcome: 'failed', complete: true, counts: { listed: 12, rewritten: 10 } })
        expect(report.failures.map(({ name, message }) => [name, message])).toEqual(
          ['level-3', 'level-7'].map(name => [
            name,
            `conversion webhook for arcade.example.com/v1beta1, Kind=Level failed: the Level can't be converted to arcade.example.com/v1: default/${name}: spec.word: bad has no counterpart`,
          ]),
        )
      })
    } finally {
      await operator.close()
    }
  })

  it('says that a cluster lacks the definition', async () => {
    await using server = await startApiServer()
    await using project = await temporaryProject()
    const kubeconfig = join(project.folder, 'kubeconfig')
    await writeFile(kubeconfig, JSON.stringify(server.kubeconfig))
    vi.stubEnv('KUBECONFIG', kubeconfig)
    const { status, stderr } = await run(`${command} cluster`, here)
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('there is no CustomResourceDefinition levels.arcade.example.com'),
    ])
  })
})
