import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { readYaml, YamlError } from '@wherry/crd/internal'
import { isRecord } from '../definition/shape.ts'
import { refused } from '../failure.ts'
import { oneLine } from '../one-line.ts'

/** The current context of the kubeconfig that a client would read. `undefined` if there is none, as in a pod. */
export async function currentContext(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const files = env.KUBECONFIG ? env.KUBECONFIG.split(delimiter).filter(Boolean) : [join(homedir(), '.kube/config')]
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '')
    const context = contextIn(text, file)
    // The first file with a current context wins, as for kubectl.
    if (typeof context === 'string' && context !== '') return oneLine(context)
  }
  return undefined
}

function contextIn(text: string, file: string): unknown {
  try {
    const [config] = readYaml(text)
    return isRecord(config) ? config['current-context'] : undefined
  } catch (error) {
    if (error instanceof YamlError) throw refused(`${file}: ${error.message}`, error)
    throw error
  }
}
