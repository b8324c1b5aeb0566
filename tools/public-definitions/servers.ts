import { Client, isApiError } from '../../packages/client/src/index.ts'
import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from '../../packages/client/src/resources/apiextensions.ts'
import { startApiServer } from '../../packages/testing/src/index.ts'

/** A server's answers to the creation of definitions, by their names: `created`, or what it refused it for. */
export async function answersOf(
  kind: 'embedded' | 'real',
  definitions: readonly CustomResourceDefinition[],
): Promise<ReadonlyMap<string, string>> {
  await using server = await startApiServer({ kind })
  const client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const answers = new Map<string, string>()
  // Old generators wrote a status without conditions, which the server drops and the types of the client don't have.
  for (const { status: _, ...definition } of definitions) {
    const name = definition.metadata?.name ?? ''
    const answer = await client.create(customResourceDefinitions, definition as never).then(
      () => 'created',
      error => {
        if (!isApiError(error)) throw error
        return error.message
      },
    )
    answers.set(name, answer)
  }
  await client.close()
  return answers
}
