import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildGoClients } from '../../../clients/build.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { measured } from './stage.ts'

/** kubectl, a process for each command. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const program = await buildGoClients()
  const folder = await mkdtemp(join(tmpdir(), 'wherry-kubectl-'))
  const kubeconfig = join(folder, 'config')
  await writeFile(kubeconfig, kubeConfigFor(context.server()).exportConfig())
  const kubectl = async (...args: readonly string[]): Promise<number> => {
    const child = spawn(program, ['kubectl', '--kubeconfig', kubeconfig, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let lines = 0
    child.stdout.on('data', (chunk: Buffer) => {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1
    })
    const [code] = (await once(child, 'close')) as [number]
    if (code !== 0) throw new Error(`kubectl ended with ${code}`)
    return lines
  }
  try {
    return await measured(context, {
      log: ({ namespace, name }) => kubectl('logs', '-n', namespace, name),
      async exec({ namespace, name }) {
        await kubectl('exec', '-n', namespace, name, '--', 'true')
      },
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}
