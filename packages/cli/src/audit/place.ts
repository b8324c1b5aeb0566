import { resolve } from 'node:path'
import type { ClusterAccess } from '@wherry/client'
import { accessOfKubeconfig } from '@wherry/client/internal'
import { refused } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { oneLine } from '../one-line.ts'
import { shellWord } from '../shell-word.ts'

/** The API server that a command runs against. */
export interface Place extends AsyncDisposable {
  readonly access: ClusterAccess
  /** Returns the command by which the user deletes a namespace. `undefined`: the server ends with the audit, and leaves nothing. */
  deletion(namespace: string): string | undefined
}

/** The cluster of a kubeconfig. @param context the name of a context; `undefined`: the current context */
export async function clusterOf(
  kubeconfig: string | undefined,
  context: string | undefined,
  { cwd }: CommandHost,
): Promise<Place> {
  const path = kubeconfig === undefined ? undefined : resolve(cwd, kubeconfig)
  const access = await accessOfKubeconfig(path, { context }).catch((error: Error) => {
    throw refused(`there is no cluster: ${oneLine(error.message)}`, error)
  })
  if (access.impersonate !== undefined)
    throw refused(
      'the user of the kubeconfig acts as another user, which wherry audit does not support: name another context',
    )
  const flags = Object.entries({ kubeconfig, context }).flatMap(([flag, value]) =>
    value ? [`--${flag}`, shellWord(value)] : [],
  )
  return {
    access,
    deletion: namespace => ['kubectl', ...flags, 'delete', 'namespace', namespace].join(' '),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
