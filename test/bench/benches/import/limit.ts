import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { measureImport } from './measure.ts'

/** Node's own HTTP/2. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureImport(context, async pod => {
    const { readFile } = await import('node:fs/promises')
    const { join } = await import('node:path')
    const { connect } = await import('node:http2')
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
    const session = connect(`https://${host}:${port}`, { ca: await readFile(join(pod.directory, 'ca.crt')) })
    const token = await readFile(join(pod.directory, 'token'), 'utf8')
    const stream = session.request({ ':path': '/api/v1/namespaces/default', authorization: `Bearer ${token}` })
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk as Buffer)
    const { kind } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly kind: string }
    if (kind !== 'Namespace') throw new Error(`a ${kind}, not a Namespace`)
    return () => session.destroy()
  })
}
