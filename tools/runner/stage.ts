import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Client } from '@wherry/client'
import type { ApiServer, EmbeddedApiServer } from '@wherry/testing'
import type { ExampleName } from './examples.ts'
import { Manifest, userOf } from './manifest.ts'
import { writePodKubeconfig } from './pod-kubeconfig.ts'
import { Program } from './program.ts'
import { freePorts, webhookPlace } from './program-env.ts'
import { homeOf } from './record.ts'
import { type Until, untilOf } from './until.ts'
import { changedKinds, webhookObjects } from './webhook-objects.ts'

/** What an example is verified with. */
export interface Stage {
  /** An administrator's. */
  readonly client: Client
  /** Where the program runs; empty at first. */
  readonly folder: string
  readonly until: Until
  /** Starts the program, in a process of its own, as the ServiceAccount of its Deployment. */
  start(...args: string[]): Program
  /**
   * Stops a program when its operator has nothing left to do, starts it again, and stops that at the same point. Rejects if it wrote anything meanwhile (but leases and events), as far as the
   * server counts requests: nothing has changed, so there is nothing to write. What names webhooks is applied at each start, and must be the same afterwards.
   */
  rest(program: Program, ...args: string[]): Promise<void>
  say(line: string): void
}

/** Plays the users of an example. Rejects where something is not as the example promises. */
export type Verify = (stage: Stage) => Promise<void>

/** Users by token, as an API server takes them. */
export type Tokens = Readonly<Record<string, { readonly name: string; readonly groups: readonly string[] }>>

export interface StageOptions {
  readonly signal: AbortSignal
  /** Starts the API server, for which the program's user and token are given. */
  startServer(tokens: Tokens): Promise<ApiServer>
  /** Whether the server is left open at the end: other examples are played on it too. @default false */
  readonly isShared?: boolean | undefined
  say(line: string): void
  /** Receives what programs say. @default none */
  readonly echo?: ((text: string) => void) | undefined
  /** Flags of Node for the program. @default those of this process */
  readonly execArgv?: readonly string[] | undefined
  /** A file with the definition, in place of the example's `deploy/crd`. @default none */
  readonly crd?: string | undefined
}

const tokenOf = (name: ExampleName): string => `token-of-${name}`

/** The user of an example's program, by its token. */
export function tokensOf(name: ExampleName): Tokens {
  const { user, groups } = userOf(new Manifest(homeOf(name)).workload)
  return { [tokenOf(name)]: { name: user, groups } }
}

/** Sets up an API server with an example's manifest, runs `body`, and takes all away again. */
export async function onStage(
  name: ExampleName,
  options: StageOptions,
  body: (stage: Stage & { readonly server: ApiServer }) => Promise<void>,
): Promise<void> {
  const { signal, startServer, isShared = false, say, echo, execArgv = process.execArgv, crd } = options
  const home = homeOf(name)
  const manifest = new Manifest(home, crd)
  const { workload } = manifest
  const folder = await mkdtemp(join(tmpdir(), `wherry-${basename(name)}-`))
  const programs: Program[] = []
  const until = untilOf(signal, () => {
    for (const program of programs) program.check()
  })
  try {
    const server = await startServer(tokensOf(name))
    await using _ = isShared ? undefined : server
    await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
    await manifest.withoutConversions().create(server, client, until)
    const kubeconfig = join(folder, 'kubeconfig')
    await writePodKubeconfig(kubeconfig, server, { token: tokenOf(name), namespace: workload.namespace })
    const cwd = join(folder, 'work')
    await mkdir(cwd)
    const place = await webhookPlace()
    const start = (...args: string[]): Program => {
      signal.throwIfAborted()
      const env = { ...freePorts, ...place, KUBECONFIG: kubeconfig }
      const main = join(home, 'main.ts')
      const program = new Program({ main, args, cwd, env, execArgv, echo })
      programs.push(program)
      return program
    }
    const rest = async (program: Program, ...args: string[]): Promise<void> => {
      await program.settled()
      await program.stop()
      const [before, objects] = [await writesOf(server), await webhookObjects(client)]
      const again = start(...args)
      await again.settled()
      const after = await writesOf(server)
      await again.stop()
      const isApplied = (what: string): boolean => [...objects.keys()].some(kind => what.startsWith(`patch ${kind}.`))
      const more = [...after]
        .filter(([what, count]) => count !== before.get(what) && !isApplied(what))
        .map(([what]) => what)
      more.push(...changedKinds(objects, await webhookObjects(client)))
      if (more.length > 0) throw new Error(`the program writes at rest: ${more.join(', ')}`)
    }
    try {
      await body({ server, client, folder: cwd, until, start, rest, say })
    } finally {
      await Promise.all(programs.map(program => program.kill()))
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const writeVerbs = ['create', 'update', 'patch', 'delete', 'deletecollection']
/** Resources that are written without a change of what an operator works on. */
const uncounted = ['leases', 'events']

/** How often the server was asked for each kind of write. Empty if it does not count. */
async function writesOf(server: ApiServer): Promise<Map<string, number>> {
  if (server.kind !== 'embedded') return new Map()
  const { byVerb } = await (server as EmbeddedApiServer).stats()
  return new Map(
    writeVerbs.flatMap(verb =>
      Object.entries(byVerb[verb] ?? {})
        .filter(([resource]) => !uncounted.includes(resource.split(/[./]/)[0] ?? ''))
        .map(([resource, { requests }]) => [`${verb} ${resource}`, requests] as const),
    ),
  )
}
