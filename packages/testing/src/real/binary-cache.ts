import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** The Kubernetes versions that the Go module can be built as, newest first. The first is built if none is asked for. */
export const availableVersions: readonly string[] = ['1.37', '1.36', '1.34']

const newest = availableVersions[0] as string

/** The folder of the Go module: next to `src` in the work tree, next to `dist` in the npm package. */
export function moduleFolder(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'apiserver/go.mod'))) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error('the Go module of the API server is not there: reinstall @wherry/testing')
    folder = parent
  }
  return join(folder, 'apiserver')
}

/** The folder of built binaries, outside of every work tree: `$XDG_CACHE_HOME/wherry`, or `~/.cache/wherry`. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'wherry')
}

/** Go's module file for a version. The sources are shared, and each version has its own modules. */
function moduleFile(version: string): string {
  return version === newest ? 'go.mod' : `go-${version}.mod`
}

/** Arguments by which every command of Go uses the modules of a version. */
export function moduleArguments(version: string = newest): readonly string[] {
  return version === newest ? [] : [`-modfile=${moduleFile(version)}`]
}

/** Arguments for commands of Go that read the sources: the modules of a version, and the tag of sources that are only for it. */
export function sourceArguments(version: string = newest): readonly string[] {
  return version === newest ? [] : [...moduleArguments(version), `-tags=kubernetes_${version.replace('.', '_')}`]
}

/** Arguments for `go build`, except the output and the package. They set the version that the server reports. */
export function buildArguments(version: string = newest): readonly string[] {
  const file = join(moduleFolder(), moduleFile(version))
  const [, full, major, minor] = /^\s*k8s\.io\/kubernetes (v(\d+)\.(\d+)\.\d+)$/m.exec(readFileSync(file, 'utf8')) ?? []
  if (full === undefined) throw new Error(`${file} does not require k8s.io/kubernetes`)
  const facts = { gitVersion: full, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' }
  const set = Object.entries(facts).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
  return [...sourceArguments(version), '-trimpath', '-buildvcs=false', '-ldflags', `-s -w ${set.join(' ')}`]
}

/** The path for the binary of the current Go module. Its name has a hash of the inputs of the build. */
export function cachedBinary(env: NodeJS.ProcessEnv = process.env, version: string = newest): string {
  const folder = moduleFolder()
  const module = moduleFile(version)
  const own = new Set([module, module.replace(/\.mod$/, '.sum')])
  const hash = createHash('sha256').update(`${process.platform}/${process.arch} ${buildArguments(version).join(' ')}\n`)
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith('.go') && !own.has(name)) continue
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update('\0')
  }
  return join(cacheFolder(env), `apiserver-${hash.digest('hex').slice(0, 16)}`)
}
