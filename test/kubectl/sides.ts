import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApiServer } from '@wherry/testing'
import { type Access, ask, eventually, type TestAnswer } from '../../packages/testing/src/real/testkit/client.ts'
import type { Flow } from './flow.ts'
import { manifests } from './manifests.ts'
import { runFlow, type Said } from './run-flow.ts'

/** Both servers, each with kubectl at it. */
export interface Sides {
  /** What each command of the flow said, at the real and at the embedded server. */
  run(flow: Flow): Promise<{ readonly real: readonly Said[]; readonly embedded: readonly Said[] }>
  close(): Promise<void>
}

/** Starts both servers for the kubectl in `program`. */
export async function startSides(program: string): Promise<Sides> {
  const options = { authorization: 'RBAC' } as const
  const real = await startApiServer({ kind: 'real', ...options, build: process.env.CI === 'true' })
  const embedded = await startApiServer({ kind: 'embedded', ...options })
  const folder = await mkdtemp(join(tmpdir(), 'wherry-kubectl-'))
  const at = async (server: typeof real | typeof embedded, flow: Flow): Promise<readonly Said[]> => {
    const access = { url: server.url, ca: server.ca ?? '', token: server.token }
    await createNamespace(access, flow.name)
    const { kubeconfig } = server
    return runFlow(flow, { program, kubeconfig, folder: join(folder, server.kind) }, manifests)
  }
  return {
    async run(flow) {
      const [ofReal, ofEmbedded] = await Promise.all([at(real, flow), at(embedded, flow)])
      return { real: ofReal, embedded: ofEmbedded }
    },
    async close() {
      await Promise.all([real.close(), embedded.close()])
      await rm(folder, { recursive: true })
    },
  }
}

/** Creates a namespace, and waits until controllers have given it what every namespace has. */
async function createNamespace(access: Access, name: string): Promise<void> {
  await ask(access, 'POST', '/api/v1/namespaces', { metadata: { name } })
  for (const path of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']) {
    const look = (): Promise<TestAnswer> => ask(access, 'GET', `/api/v1/namespaces/${name}/${path}`)
    await eventually(look, ({ status }) => status === 200)
  }
}
