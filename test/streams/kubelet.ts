import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Client } from '@wherry/client'
import { nodes, pods } from '@wherry/client/resources/core'
import { buildGoProgram } from '../go-program.ts'

/** A kubelet without containers. Commands are run on this machine, in a folder for each container. */
export interface Kubelet extends AsyncDisposable {
  /** Creates a node that this kubelet stands for, and a pod on it that runs. Gives the folder of its container `main`. */
  runPod(client: Client, name: string): Promise<string>
}

/** Starts it. Resolves when it listens. */
export async function startKubelet(): Promise<Kubelet> {
  const program = await buildGoProgram(join(import.meta.dirname, 'go'), 'kubelet', { options: ['-ldflags', '-s -w'] })
  const root = await mkdtemp(join(tmpdir(), 'wherry-kubelet-'))
  const child = spawn(program, [], { env: { ...process.env, KUBELET_ROOT: root }, stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'close')
  const lines = createInterface(child.stdout)
  const [line] = (await once(lines, 'line')) as [string]
  const { port } = JSON.parse(line) as { port: number }
  const node = `node-${port}`
  return {
    async runPod(client, name) {
      const folder = join(root, 'default', name, 'main')
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'log'), '')
      if ((await client.get(nodes, { name: node })) === undefined) {
        await client.create(nodes, { metadata: { name: node } })
        const status = {
          addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
          daemonEndpoints: { kubeletEndpoint: { Port: port } },
        }
        await client.status.patch(nodes, { name: node }, { status })
      }
      const key = { namespace: 'default', name }
      await client.create(pods, {
        metadata: key,
        spec: { nodeName: node, containers: [{ name: 'main', image: 'main:1', stdin: true }] },
      })
      await client.status.patch(pods, key, { status: runningStatus('containerd://1') })
      return folder
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
      lines.close()
      await rm(root, { recursive: true })
    },
  }
}

/** The status of a pod with a container `main` that runs. */
export function runningStatus(containerID: string): object {
  return {
    phase: 'Running',
    containerStatuses: [
      {
        ...{ name: 'main', image: 'main:1', imageID: '', containerID, ready: true, restartCount: 0 },
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      },
    ],
  }
}

/** Writes lines to a container's log, as a container runtime does. */
export async function writeLog(
  folder: string,
  lines: readonly { readonly time: string; readonly text: string }[],
): Promise<void> {
  await appendFile(join(folder, 'log'), lines.map(({ time, text }) => `${time} stdout F ${text}\n`).join(''))
}

/** The container has ended. */
export function endContainer(folder: string): Promise<void> {
  return writeFile(join(folder, 'exited'), '')
}
