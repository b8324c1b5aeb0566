/**
 * Runs an example against an API server of its own:
 *
 *     npm run example -- quickstart
 *     npm run example -- quickstart --verify
 *     npm run example -- quickstart --record
 */
import { join } from 'node:path'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { verificationOf } from './examples.ts'
import { type RunnerOptions, runnerOptions, usage } from './options.ts'
import { type RecordingServer, recordExample } from './record.ts'
import { onStage, type Tokens } from './stage.ts'

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => stop.abort(new Error(`stopped by ${name}`)))
}

const args = process.argv.slice(2)
if (args.includes('--help')) console.log(usage)
else {
  try {
    await main(runnerOptions(args))
  } catch (error) {
    console.error(`example: ${(error as Error).message}`)
    process.exitCode = 1
  }
}

async function main({ name, verify, record, server: wanted }: RunnerOptions): Promise<void> {
  const startServer = async (tokens: Tokens): Promise<ApiServer> => {
    const kind = record ? 'embedded' : wanted
    const server = await startApiServer({
      ...{
        kind,
        tokens,
        authorization: record ? 'allow' : 'RBAC',
        // A real server's plugin for that knows a new definition only after up to half a minute, and refuses its owners until then.
        enforceOwnerRights: kind === 'embedded',
      },
    })
    console.log(`on ${server.kind === 'real' ? 'a kube-apiserver' : 'the embedded API server'}, ${server.url}`)
    return server
  }
  const say = (line: string): void => console.log(line)
  const { signal } = stop
  if (record) {
    const play = await verificationOf(name)
    await onStage(name, { signal, startServer, say }, async stage => {
      await play(stage)
      await recordExample(name, stage.server as ApiServer & RecordingServer)
    })
    say(`${name}: recorded; npm run manifests in its folder writes its manifests`)
    return
  }
  if (verify) {
    const play = await verificationOf(name)
    await onStage(name, { signal, startServer, say }, play)
    say(`${name}: verified`)
    return
  }
  const echo = (text: string): void => void process.stdout.write(text)
  await onStage(name, { signal, startServer, say, echo }, async ({ server, folder, start }) => {
    const admin = join(folder, 'kubeconfig')
    await server.writeKubeconfig(admin)
    const program = start()
    say(`${name} runs, until Ctrl-C; to play with it: export KUBECONFIG=${admin}`)
    await new Promise<void>(resolve => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
      void program.closed.then(() => resolve())
    })
    await program.stop()
  })
}
