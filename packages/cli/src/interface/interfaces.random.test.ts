import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import type { StructuralSchema } from '@wherry/crd'
import { forEachSeed, seededRandom } from '@wherry/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Project, temporaryProject } from '../testkit/project.ts'
import { type RandomField, randomField } from '../testkit/random-interfaces.ts'
import { comparable } from '../testkit/same-definition.ts'
import { interfacesOf } from '../types/interfaces.ts'
import { InterfaceFiles } from './definitions.ts'
import { SourceFiles } from './source-files.ts'

const fieldsOfSeed = 100
const head = `import type { int, int64, IntOrString, Quantity, Timestamp } from '@wherry/crd'
/** @maxLength 63 */
type Label = string
/** Inside. */
interface Inner {
/** @minimum 3 */
b?: int
}
`

let project: Project
// The libraries of the language are parsed once.
const sources = new SourceFiles()

beforeAll(async () => {
  project = await temporaryProject()
})

afterAll(() => project?.[Symbol.asyncDispose]())

it('K1, K2: each tag of each type is in the definition by whichever way it comes there, and in the types made of it, or is refused', async () => {
  const counts = { taken: 0, refused: 0 }
  await forEachSeed(seed => tried(seed, counts), { seeds: 12 })
  expect(counts).toEqual({ taken: expect.toSatisfy(one => one > 0), refused: expect.toSatisfy(one => one > 0) })
}, 900_000)

async function tried(seed: number, counts: { taken: number; refused: number }): Promise<void> {
  const random = seededRandom(seed)
  const fields = Array.from({ length: fieldsOfSeed }, (_, at) => randomField(random, `f${at}`))
  const taken = fields.filter(({ schema }) => schema !== undefined)
  const refused = fields.filter(({ schema }) => schema === undefined)
  counts.taken += taken.length
  counts.refused += refused.length
  const definition = await definitionOf('taken.ts', textOf(taken))
  const { properties = {} } = specOf(definition)
  for (const { name, outside, inside, schema } of taken)
    expect(plain(properties[name]), `${outside}${inside}`).toEqual(plain(schema))
  const again = await definitionOf('again.ts', interfacesOf(definition))
  expect(comparable(again)).toEqual(comparable(definition))
  const message = await definitionOf('refused.ts', textOf(refused)).then(
    () => '',
    (error: Error) => error.message,
  )
  for (const { name, outside, inside } of refused)
    expect(message, `${outside}${inside}`).toMatch(new RegExp(`spec\\.${name}[^ ]* has @`))
}

function textOf(fields: readonly RandomField[]): string {
  const inside = fields.map(field => field.inside).join('')
  const kind = '/**\n * @group arcade.example.com\n * @version v1\n */\n'
  return `${head}${fields.map(field => field.outside).join('')}${kind}export interface Game {\nspec: {\n${inside}}\n}\n`
}

async function definitionOf(name: string, text: string): Promise<CustomResourceDefinition> {
  const file = join(project.folder, name)
  await writeFile(file, text)
  sources.forgetChanged([file])
  const [definition] = new InterfaceFiles([file], project.folder, sources).definitions()
  if (definition === undefined) throw new Error('the interface has no definition')
  return definition
}

function specOf(definition: CustomResourceDefinition): StructuralSchema {
  return definition.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.spec ?? {}
}

/** With a short name for the pattern of quantities. */
function plain(schema: StructuralSchema | undefined): unknown {
  return JSON.parse(JSON.stringify(schema ?? {}), (key, value) =>
    key === 'pattern' && value.length > 30 ? '<quantity>' : value,
  )
}
