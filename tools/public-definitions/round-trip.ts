import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { temporaryProject } from '../../packages/cli/src/testkit/project.ts'
import { run } from '../../packages/cli/src/testkit/run.ts'
import { comparable } from '../../packages/cli/src/testkit/same-definition.ts'
import type { CustomResourceDefinition } from '../../packages/client/src/resources/apiextensions.ts'

/** Runs a command line in `cwd`, and gives its output; throws what it says if it fails. */
async function wherry(line: string, cwd: string): Promise<string> {
  const { status, stdout, stderr } = await run(line, cwd)
  if (status !== 0) throw new Error(stderr.trim())
  return stdout
}

/** What is wrong with the way from a definition to its types and back, by the definition's name. Empty if nothing is. */
export async function roundTripProblems(
  definitions: readonly CustomResourceDefinition[],
): Promise<ReadonlyMap<string, string>> {
  await using project = await temporaryProject()
  const { folder } = project
  const problems = new Map<string, string>()
  const types: string[] = []
  for (const definition of definitions) {
    const name = definition.metadata?.name ?? ''
    await writeFile(join(folder, `${name}.json`), JSON.stringify(definition))
    try {
      // A folder each: kinds of several groups have the same name.
      await wherry(`types ${name}.json --out ${name}`, folder)
      types.push(`${name}/${definition.spec.names.kind.toLowerCase()}.ts`)
    } catch (error) {
      problems.set(name, (error as Error).message)
    }
  }
  const again = await wherry(`crd ${types.join(' ')} --json`, folder).then(
    text => text.trimEnd().split('\n'),
    (error: Error) => {
      problems.set('wherry crd', error.message)
      return []
    },
  )
  const made = new Map(
    again.map(line => JSON.parse(line) as CustomResourceDefinition).map(one => [one.metadata?.name ?? '', one]),
  )
  for (const definition of definitions) {
    const name = definition.metadata?.name ?? ''
    const one = made.get(name)
    if (one === undefined) {
      if (!problems.has('wherry crd') && !problems.has(name)) problems.set(name, 'wherry crd does not make it')
      continue
    }
    const difference = firstDifference(comparable(definition), comparable(one), '')
    if (difference !== undefined) problems.set(name, difference)
  }
  return problems
}

/** Where two JSON values differ first. */
function firstDifference(left: unknown, right: unknown, path: string): string | undefined {
  if (isDeepStrictEqual(left, right)) return undefined
  const inside =
    typeof left === 'object' && typeof right === 'object' && left !== null && right !== null
      ? [...new Set([...Object.keys(left), ...Object.keys(right)])].map(field =>
          firstDifference(Reflect.get(left, field), Reflect.get(right, field), `${path}.${field}`),
        )
      : []
  return inside.find(one => one !== undefined) ?? `${path}: ${JSON.stringify(left)} has become ${JSON.stringify(right)}`
}
