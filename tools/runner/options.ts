import { parseArgs } from 'node:util'
import { type ExampleName, exampleNames } from './examples.ts'

/** What was asked for on the command line. */
export interface RunnerOptions {
  readonly name: ExampleName
  readonly verify: boolean
  readonly record: boolean
  readonly server: 'auto' | 'embedded' | 'real'
}

export const usage: string = `npm run example -- NAME [--verify | --record] [--server auto|embedded|real]

Starts an API server, creates the example's manifest there, and runs its program with the rights of that manifest, until Ctrl-C.

  NAME       ${exampleNames.join(', ')}
  --verify   plays its users, and ends: with 0 where all is as the example promises, else with 1
  --record   plays its users on the embedded server, where the program has all rights, and records those that it uses, for npm run manifests
  --server   auto (the default): a real kube-apiserver where one is found, else the embedded one`

/** Throws an error that names the problem. */
export function runnerOptions(args: string[]): RunnerOptions {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      verify: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      server: { type: 'string', default: 'auto' },
    },
  })
  const [name = '', ...more] = positionals
  const { verify, record, server } = values
  if (!isExample(name) || more.length > 0) throw new Error(`name one example: ${exampleNames.join(', ')}`)
  if (server !== 'auto' && server !== 'embedded' && server !== 'real') {
    throw new Error(`--server takes auto, embedded or real, not ${server}`)
  }
  if (record && (verify || server === 'real')) throw new Error('--record plays its users on the embedded server')
  return { name, verify, record, server }
}

function isExample(name: string): name is ExampleName {
  return exampleNames.some(one => one === name)
}
