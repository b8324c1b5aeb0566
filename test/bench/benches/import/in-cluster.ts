import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerAddress } from '../../harness/bench.ts'

/** What a pod finds: environment variables, and the service account's files. */
export interface InCluster extends AsyncDisposable {
  /** Stands before `/var/run/secrets/…`. */
  readonly prefix: string
  /** Where the files are. */
  readonly directory: string
}

/** Makes this process look like one in a pod of the cluster under bench. */
export async function pretendInCluster({ url, ca = '', token }: ServerAddress): Promise<InCluster> {
  const prefix = await mkdtemp(join(tmpdir(), 'wherry-bench-'))
  const directory = join(prefix, 'var/run/secrets/kubernetes.io/serviceaccount')
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'ca.crt'), ca)
  await writeFile(join(directory, 'token'), token)
  await writeFile(join(directory, 'namespace'), 'default')
  const { hostname, port } = new URL(url)
  process.env.KUBERNETES_SERVICE_HOST = hostname
  process.env.KUBERNETES_SERVICE_PORT = port
  return { prefix, directory, [Symbol.asyncDispose]: () => rm(prefix, { recursive: true }) }
}
