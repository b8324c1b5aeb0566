import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { K8s, kind } from 'kubernetes-fluent-client'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { kindOf, measureSync } from './measure.ts'

/** Its watch, which lists first and keeps what it has seen. It reads its server from KUBECONFIG alone. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const folder = mkdtempSync(join(tmpdir(), 'wherry-bench-'))
  try {
    const path = join(folder, 'config')
    writeFileSync(path, kubeConfigFor(context.server()).exportConfig())
    process.env.KUBECONFIG = path
    const objects = context.objects * (kindOf(context) === 'pods' ? 0.2 : 1)
    const model = kindOf(context) === 'pods' ? kind.Pod : kind.ConfigMap
    return await measureSync(context, async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      let heard = 0
      const watcher = K8s<typeof kind.ConfigMap>(model as typeof kind.ConfigMap).Watch(() => {
        heard += 1
        if (heard === objects) resolve()
      })
      await watcher.start()
      await promise
      return { objects: () => heard, close: () => watcher.close() }
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
