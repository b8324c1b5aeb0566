import { systemClock } from '../clock.ts'
import { checkOptions, text as textCheck } from '../errors/check.ts'
import { OptionTypeError } from '../errors/option.ts'
import { type AccessOptions, accessChecks, type ClusterAccess } from './access.ts'
import { CredentialsError } from './error.ts'
import { accessOf, type KubeConfigCluster, type KubeConfigUser, tokenFileOf } from './kubeconfig.ts'
import { Kubeconfig } from './kubeconfig-document.ts'
import { decoded } from './kubeconfig-file.ts'

/** Options of {@link fromKubeconfigText}. */
export interface KubeconfigTextOptions extends AccessOptions {
  /** The name of the context to use. @default the kubeconfig's current context */
  readonly context?: string | undefined
}

/**
 * Access by the text of a kubeconfig that came from elsewhere, such as a Secret. Its author must not act on this machine: a user with a plugin or an auth
 * provider, and a file in the place of a value, are refused. Rejects with a `CredentialsError` that quotes no value.
 */
export async function fromKubeconfigText(text: string, options: KubeconfigTextOptions = {}): Promise<ClusterAccess> {
  if (typeof text !== 'string') throw new OptionTypeError('kubeconfig', 'the text of a kubeconfig', typeof text)
  checkOptions('access', options, { ...accessChecks, context: textCheck })
  const read = Kubeconfig.from(await document(text), '/')
  const config = options.context === undefined ? read : read.withContext(options.context)
  refuseLocal(config.getCurrentCluster(), config.getCurrentUser())
  return accessOf(config, options.clock ?? systemClock())
}

/** @throws CredentialsError if access by these would run a command or read a file of this machine */
function refuseLocal(cluster: KubeConfigCluster | null, user: KubeConfigUser | null): void {
  const isTokenFile = Boolean(user?.authProvider) && tokenFileOf(user?.authProvider) !== undefined
  const local = {
    'certificate-authority': cluster?.caFile,
    'client-certificate': user?.certFile,
    'client-key': user?.keyFile,
    exec: user?.exec,
    'auth-provider': isTokenFile ? undefined : user?.authProvider,
    tokenFile: isTokenFile ? user?.authProvider : undefined,
  }
  const found = Object.entries(local).find(([, value]) => value)
  if (found === undefined) return
  const does = found[0] === 'exec' || found[0] === 'auth-provider' ? 'runs programs' : 'reads files'
  const message = `the kubeconfig has ${found[0]}, which ${does} of this machine: only a kubeconfig in a file of this machine may have it`
  throw new CredentialsError('KUBECONFIG_INVALID', message)
}

async function document(text: string): Promise<unknown> {
  try {
    return await decoded(text)
  } catch {
    // A parser's message may quote the text.
    throw new CredentialsError('KUBECONFIG_INVALID', 'the kubeconfig is neither YAML nor JSON')
  }
}
