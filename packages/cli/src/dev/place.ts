import { resolve } from 'node:path'
import { type ControlledApiServer, startEmbeddedApiServer } from '@wherry/apiserver'
import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { manifestsIn } from '../definitions-in.ts'
import { refused } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { oneLine } from '../one-line.ts'
import { createDefinitions } from '../program/create-definitions.ts'
import { definitionFiles } from '../program/definition-files.ts'
import { type OwnKubeconfig, writeOwnKubeconfig } from '../server/own-kubeconfig.ts'
import { currentContext } from './current-context.ts'
import { keepObjects, restoreObjects } from './kept.ts'
import { deleteOwnWebhooks } from './own-webhooks.ts'
import { appliedWithWarnings } from './unfit-objects.ts'

/** The API server that an operator runs against during its development. */
export interface Place extends AsyncDisposable {
  readonly url: string
  /** The environment of the operator's program. */
  readonly env: NodeJS.ProcessEnv
  /** Messages for the user about the place. */
  readonly lines: readonly string[]
  /**
   * Applies the definitions in the folder. Resolves with warnings about stored objects that do not fit the definitions. Rejects with a CommandFailure if the
   * server refuses a definition.
   */
  applyDefinitions(): Promise<readonly string[]>
  /** Called when a process of the operator has ended. Resolves when the server no longer calls its webhooks. Never rejects. */
  programEnded(): Promise<void>
  /** Called when the operator has stopped, before the place is disposed. */
  leave(): Promise<void>
}

/** The options of an own server. */
export interface ServerOptions {
  /** @default 6443, or a free one if that is in use */
  readonly port: number | undefined
  /** The path of the kubeconfig as the user wrote it. */
  readonly kubeconfig: string
  /** The file that keeps the objects for the next server. */
  readonly keep: string | undefined
  readonly crd: string
}

/** Starts an own API server in another process, so that compilers in this process do not delay it. */
export async function ownServer({ port, kubeconfig, keep, crd }: ServerOptions, host: CommandHost): Promise<Place> {
  const server = await started(port, host)
  const kept = keep === undefined ? undefined : resolve(host.cwd, keep)
  let own: OwnKubeconfig | undefined
  try {
    own = await writeOwnKubeconfig(server.kubeconfig, kubeconfig, host.cwd)
    if (kept !== undefined) await restoreObjects(server, kept)
    await createDefinitions(server, crd, host)
  } catch (error) {
    await own?.[Symbol.asyncDispose]()
    await server.close()
    throw error
  }
  const { path } = own
  let forgotten = Promise.resolve()
  return {
    url: server.url,
    env: { KUBECONFIG: path },
    lines: [`export KUBECONFIG=${path}`],
    applyDefinitions: async () => {
      await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
      return await appliedWithWarnings(client, () => createDefinitions(server, crd, host))
    },
    programEnded() {
      // An error is ignored, because at the end the server may be closed first.
      forgotten = forgotten.then(() => deleteOwnWebhooks(server)).catch(() => undefined)
      return forgotten
    },
    leave: async () => {
      if (kept !== undefined) await keepObjects(server, kept)
    },
    async [Symbol.asyncDispose]() {
      await own[Symbol.asyncDispose]()
      await server.close()
    },
  }
}

/** The port of kube-apiserver. With a fixed port, a copied kubeconfig stays valid from run to run. */
const usualPort = 6443

async function started(given: number | undefined, { stderr }: CommandHost): Promise<ControlledApiServer> {
  const port = given ?? usualPort
  const startAt = (at: number): Promise<ControlledApiServer> =>
    startEmbeddedApiServer({ port: at, isolate: true, anonymous: false })
  try {
    return await startAt(port)
  } catch (error) {
    if (!(error as Error).message.includes('EADDRINUSE')) throw error
    if (given !== undefined)
      throw refused(`port ${port} is in use: choose another with --port, or leave it out for a free one`)
    stderr.write(`wherry dev: port ${port} is in use: the API server takes a free one; --port names another\n`)
    return startAt(0)
  }
}

/**
 * The cluster of the current context, after the user has confirmed it. Only definitions are applied there, because a policy could refuse requests of other
 * users.
 */
export async function cluster(crd: string, isAgreed: boolean, host: CommandHost): Promise<Place> {
  const client = await Client.connect().catch((error: Error) => {
    throw refused(`there is no cluster: ${oneLine(error.message)}`)
  })
  try {
    const where = `${(await currentContext()) ?? 'the cluster'} (${client.server.replace(/\/$/, '')})`
    const question = `Run the operator against ${where}, with your rights, and apply the definitions in ${crd}? [y/N] `
    if (!isAgreed && !/^y(es)?$/i.test((await host.ask?.(question)) ?? ''))
      throw refused(`nothing was done in ${where}: say y, or --yes if nobody can be asked`)
    const applyDefinitions = async (): Promise<void> => {
      for (const file of await definitionFiles(crd, host.cwd))
        for (const definition of (await manifestsIn(file, host)).definitions)
          await client
            .apply(customResourceDefinitions, definition as never, { fieldManager: 'wherry-dev' })
            .catch((error: Error) => {
              throw refused(`${file}: ${oneLine(error.message)}`)
            })
    }
    await applyDefinitions()
    return {
      url: client.server,
      env: { WHERRY_DEV_CLUSTER: 'true' },
      lines: [`the context ${where}`],
      applyDefinitions: () => appliedWithWarnings(client, applyDefinitions),
      programEnded: async () => undefined,
      leave: async () => undefined,
      [Symbol.asyncDispose]: () => client.close(),
    }
  } catch (error) {
    await client.close()
    throw error
  }
}
