import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repository } from '../../tools/vitest/aliases.ts'
import { buildGoProgram } from '../go-program.ts'

const run = promisify(execFile)

/** Where kube-rs is built: outside of committed folders, and kept, so that a second run builds nothing. */
const folder = join(repository, '.cache/clients')

/** The module of client-go and kubectl, in the versions of the real API server. */
const module = join(import.meta.dirname, 'go')

/** The release that kubectl says it is: the version of its module, as its own builds have it. */
function versionArguments(): string {
  const [, minor, patch] =
    /^\s*k8s\.io\/kubectl v0\.(\d+)\.(\d+)$/m.exec(readFileSync(join(module, 'go.mod'), 'utf8')) ?? []
  const facts = { gitVersion: `v1.${minor}.${patch}`, gitMajor: '1', gitMinor: minor, gitTreeState: 'clean' }
  return Object.entries(facts)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ')
}

/**
 * Builds kubectl and an informer of client-go into one program (it needs Go), and gives its path. It is kept where the real API server
 * is, so that it is built once for a machine: in 45 seconds, or 10 if Go has compiled the real API server before.
 */
export function buildGoClients(): Promise<string> {
  return buildGoProgram(module, 'clients', { options: ['-ldflags', `-s -w ${versionArguments()}`] })
}

/** Builds Helm as its module is, which takes minutes once for a machine (it needs Go), and gives its path. */
export function buildHelm(): Promise<string> {
  const main = 'helm.sh/helm/v3/cmd/helm'
  return buildGoProgram(join(import.meta.dirname, 'helm'), 'helm', { options: ['-ldflags', '-s -w'], main })
}

/** Builds the programs on kube-rs (it needs Cargo), and gives the folder that has them. */
async function buildRust(): Promise<string> {
  await mkdir(folder, { recursive: true })
  const target = join(folder, 'cargo')
  const env = { ...process.env, CARGO_TARGET_DIR: target }
  await run('nice', ['cargo', 'build', '--locked'], { cwd: join(import.meta.dirname, 'rust'), env, maxBuffer: 2 ** 26 })
  return join(target, 'debug')
}

/** Builds a watcher of kube-rs (it needs Cargo), and gives its path. */
export async function buildRustWatcher(): Promise<string> {
  return join(await buildRust(), 'wherry-watcher')
}

/** Builds the operator on kube-rs that `wherry audit` is run with (it needs Cargo), and returns the path. */
export async function buildRustAudit(): Promise<string> {
  return join(await buildRust(), 'audit')
}
