import { resolve } from 'node:path'
import { install, startEmbeddedApiServer } from '@wherry/apiserver'
import { InstallError } from '@wherry/apiserver/internal'
import { type ClusterAccess, fromKubeconfigFile } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { refused } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { oneLine } from '../one-line.ts'
import { createDefinitions } from '../program/create-definitions.ts'

/** The API server that a command runs against. */
export interface Place extends AsyncDisposable {
  readonly access: ClusterAccess
  /** Returns the command by which the user deletes a namespace. `undefined`: the server ends with the audit, and leaves nothing. */
  deletion(namespace: string): string | undefined
}

/** An embedded server in a process of its own, with the definitions and the objects in two folders. */
export async function embedded(crds: string, objects: string | undefined, host: CommandHost): Promise<Place> {
  const server = await startEmbeddedApiServer({ isolate: true, anonymous: false })
  try {
    await createDefinitions(server, crds, host)
    if (objects !== undefined) await install(server, resolve(host.cwd, objects))
  } catch (error) {
    await server.close()
    throw error instanceof InstallError ? refused(oneLine(error.message), error) : error
  }
  const { url, ca, token } = server
  return { access: fromUrl(url, { ca, token }), deletion: () => undefined, [Symbol.asyncDispose]: () => server.close() }
}

/** The cluster of a kubeconfig. @param context the name of a context; `undefined`: the current context */
export async function clusterOf(
  kubeconfig: string | undefined,
  context: string | undefined,
  { cwd }: CommandHost,
): Promise<Place> {
  const path = kubeconfig === undefined ? undefined : resolve(cwd, kubeconfig)
  const access = await fromKubeconfigFile(path, { context }).catch((error: Error) => {
    throw refused(`there is no cluster: ${oneLine(error.message)}`, error)
  })
  if (access.impersonate !== undefined)
    throw refused(
      'the user of the kubeconfig acts as another user, which wherry audit does not support: name another context',
    )
  const flags = Object.entries({ kubeconfig, context }).flatMap(([flag, value]) =>
    value ? [`--${flag}`, quoted(value)] : [],
  )
  return {
    access,
    deletion: namespace => ['kubectl', ...flags, 'delete', 'namespace', namespace].join(' '),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** An argument for a shell. */
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
