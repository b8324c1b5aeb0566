import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { definitionsIn } from '../definitions-in.ts'
import { CommandFailure, wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { oneLine } from '../one-line.ts'

type ByName = ReadonlyMap<string, CustomResourceDefinition>

/**
 * Reads the old definitions with these names. A cluster may lack some or all of them.
 *
 * @param source `cluster` for the current context, `cluster:CONTEXT` for another, a file of YAML or JSON, or `-` for the standard input
 * @throws CommandFailure with the status 2 if the source can't be read, or if a file has none of these definitions
 */
export async function oldDefinitions(source: string, names: readonly string[], host: CommandHost): Promise<ByName> {
  const [, context] = /^cluster(?::(.+))?$/.exec(source) ?? []
  if (source === 'cluster' || context !== undefined) return fromCluster(context, names)
  const found = new Map((await definitionsIn(source, host)).map(one => [one.metadata?.name ?? '', one]))
  if (!names.some(name => found.has(name)))
    throw wrongUsage(`${source} has none of ${names.join(', ')}, but ${[...found.keys()].join(', ')}`)
  return found
}

async function fromCluster(context: string | undefined, names: readonly string[]): Promise<ByName> {
  const { Client, fromKubeconfigFile } = await import('@wherry/client')
  const { customResourceDefinitions } = await import('@wherry/client/resources/apiextensions')
  const found = new Map<string, CustomResourceDefinition>()
  try {
    const client =
      context === undefined
        ? await Client.connect()
        : new Client({ access: await fromKubeconfigFile(undefined, { context }) })
    try {
      for (const name of names) {
        const definition = await client.get(customResourceDefinitions, { name })
        if (definition !== undefined) found.set(name, definition)
      }
    } finally {
      await client.close()
    }
  } catch (cause) {
    throw new CommandFailure(
      `the definitions can't be read from the cluster: ${oneLine((cause as Error).message)}`,
      2,
      {
        cause,
      },
    )
  }
  return found
}
