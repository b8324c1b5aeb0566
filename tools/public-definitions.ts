import { parseArgs } from 'node:util'
import { definitionsIn } from '../packages/cli/src/definitions-in.ts'
import type { CustomResourceDefinition } from '../packages/client/src/resources/apiextensions.ts'
import { findApiServer } from '../packages/testing/src/real/find-binary.ts'
import { program } from './program.ts'
import { publicFiles } from './public-definitions/fetch.ts'
import { roundTripProblems } from './public-definitions/round-trip.ts'
import { answersOf } from './public-definitions/servers.ts'
import { root } from './workspace.ts'

const usage = `npm run public-definitions [-- NAMES…]
  certificates.cert-manager.io   the definitions to check; none means all of tools/public-definitions/list.json
Fetches published CustomResourceDefinitions with Go, once. Checks of each that its types make it again (K2), and that the embedded
server and the real one, if it is built, answer alike when it is created. Exits with 1 if one differs.`

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean' } } })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const sources = new Map<string, CustomResourceDefinition[]>()
  for (const { name, file } of await publicFiles()) {
    const module = name.replace(/@.*/, '')
    const nothing = { write: () => {} }
    const found = await definitionsIn(file, { stdout: nothing, stderr: nothing, cwd: root })
    const wanted = found.filter(one => positionals.length === 0 || positionals.includes(one.metadata?.name ?? ''))
    sources.set(module, [...(sources.get(module) ?? []), ...wanted])
  }
  const definitions = [...sources.values()].flat()
  const wrong = new Map<string, string>(await roundTripProblems(definitions))
  const differing = await differingAnswers(definitions)
  console.log('module | definitions | types make it again | servers answer alike')
  for (const [module, own] of sources) {
    const without = (problems: ReadonlyMap<string, string>): number =>
      own.filter(one => !problems.has(one.metadata?.name ?? '')).length
    console.log([module, own.length, without(wrong), differing ? without(differing) : 'not checked'].join(' | '))
  }
  console.log(['all', definitions.length].join(' | '))
  for (const [name, problem] of [...wrong, ...(differing ?? [])]) console.log(`\n${name}: ${problem}`)
  return wrong.size + (differing?.size ?? 0) === 0 ? 0 : 1
}

/** What the servers say of the definitions that they answer differently to; undefined without a real server. */
async function differingAnswers(
  definitions: readonly CustomResourceDefinition[],
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    await findApiServer()
  } catch (error) {
    console.error(`the servers are not compared: ${(error as Error).message}`)
    return undefined
  }
  const embedded = await answersOf('embedded', definitions)
  const real = await answersOf('real', definitions)
  const differing = [...real].filter(([name, answer]) => answer !== embedded.get(name))
  return new Map(
    differing.map(([name, answer]) => [name, `the real server: ${answer}\nthe embedded one: ${embedded.get(name)}`]),
  )
}

await program('npm run public-definitions', usage, main)
