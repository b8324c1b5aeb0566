import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { parse } from 'yaml'

/** The current context of the kubeconfig that a client would read. `undefined` if there is none, as in a pod. */
export async function currentContext(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const files = env.KUBECONFIG ? env.KUBECONFIG.split(delimiter).filter(Boolean) : [join(homedir(), '.kube/config')]
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '')
    const context: unknown = (parse(text) as { readonly 'current-context'?: unknown } | null)?.['current-context']
    // The first file that names one wins, as for kubectl.
    if (typeof context === 'string' && context !== '') return context
  }
  return undefined
}
