import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Client } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { definitionYaml } from '@wherry/crd'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { openApi } from '../testkit/open-api.ts'
import { temporaryProject } from '../testkit/project.ts'
import { run } from '../testkit/run.ts'

const available = await realApiServerAvailable('the test of what docs/custom-resources.md leads to')

const packages = resolve(import.meta.dirname, '../../..')
const page = await readFile(resolve(packages, '../docs/custom-resources.md'), 'utf8')

/** The file that the page shows by this name. */
function shown(name: string): string {
  const [, code = ''] = page.split(`<!-- file: ${name} -->\n\`\`\`ts\n`)[1]?.match(/^([\s\S]*?)^```$/m) ?? []
  if (code === '') throw new Error(`the page has no file ${name}`)
  return code
}

let ofInterface: CustomResourceDefinition
let ofSchema: CustomResourceDefinition

/** The definition that a command prints. */
async function defined(line: string, cwd: string): Promise<CustomResourceDefinition> {
  const { status, stdout, stderr } = await run(line, cwd)
  expect([status, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

beforeAll(async () => {
  await using project = await temporaryProject()
  await writeFile(join(project.folder, 'game.ts'), shown('game.ts'))
  ofInterface = await defined('crd game.ts --json', project.folder)
  // A module is run where its schema library is found.
  const folder = await mkdtemp(join(packages, 'crd/.block-'))
  try {
    await writeFile(join(folder, 'game.crd.ts'), shown('game.crd.ts'))
    ofSchema = await defined('crd game.crd.ts --json', folder)
  } finally {
    await rm(folder, { recursive: true })
  }
})

describe('docs/custom-resources.md', () => {
  it('K1: makes the same definition of its interface and of its schema, but for int64', () => {
    const plain: unknown = JSON.parse(JSON.stringify(ofSchema).replaceAll(',"format":"int64"', ''))
    expect(JSON.stringify(ofSchema)).toContain('"format":"int64"')
    expect(plain).toEqual(ofInterface)
  })

  it('K6: prints what the page says of a change', async () => {
    await using project = await temporaryProject()
    const changed = shown('game.ts')
      .replace('@maximum 64', '@maximum 32')
      .replace('    players: int\n', '$&    rounds?: int\n')
    await writeFile(join(project.folder, 'game.ts'), changed)
    const { status, stdout, stderr } = await run('crd game.ts --diff -', project.folder, definitionYaml(ofInterface))
    expect(status).toBe(1)
    expect(page).toContain(`\`\`\`text\n${stdout}${stderr}\`\`\``)
  })

  it.runIf(available)(
    'K1: leads to what kubectl explain reads from a real API server',
    { timeout: 240_000 },
    async () => {
      for (const definition of [ofInterface, ofSchema]) {
        const server = await sharedRealServer()
        await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
        await client.create(customResourceDefinitions, definition)
        // The server makes the document a moment after it has taken the definition.
        const read = (): Promise<string> => openApi(server, '/openapi/v3/apis/arcade.example.com/v1')
        await expect.poll(read, { timeout: 60_000 }).toContain('"How many play."')
        const { schemas } = JSON.parse(await read()).components
        const { description, properties } = schemas['com.example.arcade.v1.Game']
        const { spec, status } = properties
        expect([
          description,
          spec.description,
          ...['players', 'difficulty', 'names'].map(name => spec.properties[name].description),
          status.description,
          status.properties.ready.description,
        ]).toEqual([
          'A game of the arcade.',
          'What the players want.',
          'How many play.',
          'How hard it is. Nobody can change it.',
          'The names of the players.',
          'What the operator has seen.',
          'How many have come.',
        ])
      }
    },
  )
})
