import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { builtinResources } from '../../packages/apiserver/src/generated/builtin-resources.ts'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { sharedRealServer } from '../../packages/testing/src/real/testkit/shared.ts'
import { root } from '../workspace.ts'
import { connect } from './cluster.ts'
import { staleFiles } from './generated-file.ts'
import { generateAll } from './generators.ts'

const listed = await Promise.all(
  globSync('packages/client/src/resources/**/*.ts', { cwd: root }).map(path => import(join(root, path))),
)

it('a resource has one constant, by the names that discovery has', () => {
  const constants = listed.flatMap(module => Object.values(module as Record<string, { resource: object }>))
  const expected = builtinResources.map(({ group, version, kind, plural, namespaced }) => ({
    group,
    version,
    kind,
    plural,
    namespaced,
    scope: namespaced ? 'namespaced' : 'cluster',
  }))
  const text = (resource: object): string => JSON.stringify(resource)
  expect(constants.map(({ resource }) => text(resource)).sort()).toEqual(expected.map(text).sort())
})

const available = await realApiServerAvailable('the comparison of generated files with the server that they are from')

it.runIf(available)(
  'the generated files are what a real server makes of them: else `node tools/generate/main.ts` rewrites them',
  async () => {
    const cluster = connect(await sharedRealServer())
    try {
      const stale: string[] = []
      for (const generated of await generateAll(cluster)) stale.push(...(await staleFiles(root, generated)))
      expect(stale).toEqual([])
    } finally {
      cluster.close()
    }
  },
)
