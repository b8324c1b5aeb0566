import type { KubeConfig } from '@kubernetes/client-node'
import { peerProblem } from '../errors/missing-peer.ts'
import { CredentialsError } from './error.ts'
import { commandFrom, fileFrom } from './kubeconfig.ts'
import { withMore } from './kubeconfig-users.ts'

type Library = typeof import('@kubernetes/client-node')

/** The text of a kubeconfig, and the directory that its files and commands are relative to. */
export interface KubeconfigText {
  readonly text: string
  readonly directory: string
}

/**
 * Reads kubeconfigs by `@kubernetes/client-node`, and merges them. Legacy auth providers need it: that library renews their tokens.
 * @throws CredentialsError with `KUBECONFIG_INVALID` if the library is not installed or refuses a file; its message may quote the file and is not repeated
 */
export async function byLibrary(texts: readonly KubeconfigText[], context: string): Promise<KubeConfig> {
  const library = await clientNode()
  try {
    return read(library, texts, context)
  } catch (cause) {
    if (cause instanceof CredentialsError) throw cause
    throw new CredentialsError('KUBECONFIG_INVALID', '@kubernetes/client-node refuses the kubeconfig')
  }
}

function read(library: Library, texts: readonly KubeconfigText[], context: string): KubeConfig {
  const [merged, ...others] = texts.map(({ text, directory }) => {
    const config = new library.KubeConfig()
    config.loadFromString(text)
    config.users = withMore(config.users, library.loadYaml(text))
    config.makePathsAbsolute(directory)
    makePluginsAbsolute(config, directory)
    return config
  })
  for (const other of others) merge(merged as KubeConfig, other)
  merged?.setCurrentContext(context)
  return merged as KubeConfig
}

/** Makes commands of plugins and token files absolute, which client-node does not. They are relative to their kubeconfig. */
function makePluginsAbsolute(config: KubeConfig, directory: string): void {
  config.users = config.users.map(user => {
    const { exec, authProvider } = user
    const tokenFile = authProvider?.config?.tokenFile
    return {
      ...user,
      ...(typeof exec?.command === 'string' && { exec: { ...exec, command: commandFrom(exec.command, directory) } }),
      ...(typeof tokenFile === 'string' && {
        authProvider: {
          ...authProvider,
          config: { ...authProvider.config, tokenFile: fileFrom(tokenFile, directory) },
        },
      }),
    }
  })
}

/** Adds the clusters, users and contexts of `config` that `merged` lacks. */
function merge(merged: KubeConfig, config: KubeConfig): void {
  const { clusters, users, contexts } = merged
  const lacks = <T extends { readonly name: string }>(known: readonly T[], one: T): boolean =>
    known.every(({ name }) => name !== one.name)
  for (const one of config.clusters) if (lacks(clusters, one)) merged.addCluster(one)
  for (const one of config.users) if (lacks(users, one)) merged.addUser(one)
  for (const one of config.contexts) if (lacks(contexts, one)) merged.addContext(one)
  if (!merged.currentContext && config.currentContext) merged.setCurrentContext(config.currentContext)
}

async function clientNode(): Promise<Library> {
  try {
    return await import('@kubernetes/client-node')
  } catch (cause) {
    const message = peerProblem('the auth provider of the kubeconfig needs', '@kubernetes/client-node', cause)
    throw new CredentialsError('KUBECONFIG_INVALID', message, cause)
  }
}
