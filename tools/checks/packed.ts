import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../build.ts'
import { command } from '../test/command.ts'
import { publishedPackages, root, type WorkspacePackage } from '../workspace.ts'

/** A package as npm would serve it. */
export interface Packed {
  readonly one: WorkspacePackage
  readonly tarball: string
}

let packing: Promise<readonly Packed[]> | undefined

/** Every package built and packed, once a run. Rejects with the output of what failed. */
export function packed(): Promise<readonly Packed[]> {
  packing ??= pack()
  return packing
}

async function pack(): Promise<readonly Packed[]> {
  const failure = await build(() => undefined)
  if (failure !== undefined) throw new Error(failure)
  const folder = join(root, '.cache/packed')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const all: Packed[] = []
  for (const one of publishedPackages()) {
    const tarball = join(folder, `${one.short}.tgz`)
    const ended = await command('pnpm', ['pack', '--out', tarball], { cwd: one.folder })
    if (ended.code !== 0) throw new Error(`packing ${one.name} failed:\n${ended.output}`)
    all.push({ one, tarball })
  }
  return all
}
