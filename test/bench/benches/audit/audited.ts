import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServerAddress } from '../../harness/bench.ts'
import { type Cost, Program } from '../../harness/program.ts'
import { kubeConfigFor } from '../../server/client-node.ts'

/** The package as it is built. */
const bin = fileURLToPath(new URL('../../../../packages/cli/dist/bin.js', import.meta.url))

/** A running audit. Its proxy answers as the server does. */
export interface Audit extends AsyncDisposable {
  /** The address of the proxy. */
  readonly address: ServerAddress
  /** What the audit has cost until now. */
  cost(): Cost
}

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ]
  readonly users: readonly [{ readonly user: { readonly token: string } }]
}

/** Starts `wherry audit` of a command that asks for nothing: the bench itself sends the requests to the proxy. */
export async function startAudit(server: ServerAddress): Promise<Audit> {
  const folder = await mkdtemp(join(tmpdir(), 'wherry-bench-'))
  const [real, copied] = [join(folder, 'kubeconfig'), join(folder, 'copied')]
  await writeFile(real, kubeConfigFor(server).exportConfig())
  const command = ['sh', '-c', 'cp "$KUBECONFIG" "$0" && echo copied && exec sleep 3600', copied]
  const audit = [process.execPath, bin, 'audit', '--kubeconfig', real, '--json', '--', ...command]
  // The audit writes the command's output to stderr.
  const program = new Program('sh', ['-c', 'exec "$0" "$@" 2>&1', ...audit], { NODE_ENV: 'production' })
  try {
    await program.says('copied')
    const { clusters, users } = JSON.parse(await readFile(copied, 'utf8')) as Kubeconfig
    const [{ cluster }] = clusters
    const ca = Buffer.from(cluster['certificate-authority-data'], 'base64').toString()
    return {
      address: { url: cluster.server, ca, token: users[0].user.token, emptyVersion: server.emptyVersion },
      cost: () => program.cost(),
      async [Symbol.asyncDispose]() {
        await program.end('SIGTERM')
        await rm(folder, { recursive: true })
      },
    }
  } catch (error) {
    await program.close()
    await rm(folder, { recursive: true })
    throw error
  }
}

/** The RSS of a Node that does nothing. */
export async function bareRss(): Promise<number> {
  const program = new Program(process.execPath, ['--eval', 'console.log("started"); setInterval(() => {}, 1000)'], {})
  try {
    return (await program.says('started')).rssBytes
  } finally {
    await program.close()
  }
}
