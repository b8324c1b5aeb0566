import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { K8s, kind, WatchEvent } from 'kubernetes-fluent-client'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { measureEvents } from './measure.ts'

/** Its watch, which lists first and keeps what it has seen. It reads its server from KUBECONFIG alone. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const folder = mkdtempSync(join(tmpdir(), 'wherry-bench-'))
  try {
    const path = join(folder, 'config')
    writeFileSync(path, kubeConfigFor(context.server()).exportConfig())
    process.env.KUBECONFIG = path
    return await measureEvents(context, async (event, failed) => {
      const watcher = K8s(kind.ConfigMap).Watch((_, phase) => {
        if (`${phase}` === 'MODIFIED') event()
      })
      watcher.events.on(WatchEvent.GIVE_UP, failed)
      await watcher.start()
      return () => watcher.close()
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
