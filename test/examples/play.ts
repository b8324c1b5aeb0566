import { join } from 'node:path'
import type { ApiServer } from '@wherry/testing'
import { type exampleNames, verificationOf } from '../../tools/runner/examples.ts'
import { onStage, type Stage, type StageOptions, type Tokens } from '../../tools/runner/stage.ts'

const hook = join(import.meta.dirname, 'from-source.ts')

/** Sets an example up on a server, and plays its users, or does `body`. */
export async function play(
  name: (typeof exampleNames)[number],
  startServer: (tokens: Tokens) => Promise<ApiServer>,
  { body, ...more }: { readonly body?: (stage: Stage) => Promise<void> } & Partial<StageOptions> = {},
): Promise<string[]> {
  const said: string[] = []
  const say = (line: string): void => void said.push(line)
  const { signal } = new AbortController()
  const options = { signal, startServer, say, execArgv: ['--import', hook], ...more }
  await onStage(name, options, body ?? (await verificationOf(name)))
  return said
}
