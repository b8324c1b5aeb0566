import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../build.ts'
import { inLanes } from '../in-lanes.ts'
import { command } from '../test/command.ts'
import { StepError } from '../test/step.ts'
import { publishedPackages, root, type WorkspacePackage } from '../workspace.ts'

/** A package as npm would serve it. */
export interface Packed {
  readonly one: WorkspacePackage
  readonly tarball: string
}

let packing: Promise<readonly Packed[]> | undefined
let hasFailed = false

/** Every package built and packed, once a run. Rejects with the output of what failed, the first time it is asked. */
export async function packed(): Promise<readonly Packed[]> {
  if (hasFailed) throw new StepError('nothing to look at: the packages could not be built and packed (see above)')
  packing ??= pack()
  try {
    return await packing
  } catch (error) {
    hasFailed = true
    throw error
  }
}

async function pack(): Promise<readonly Packed[]> {
  const failure = await build(() => undefined)
  if (failure !== undefined) throw new StepError(failure)
  const folder = join(root, '.cache/packed')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return inLanes(2, publishedPackages(), async one => {
    const tarball = join(folder, `${one.short}.tgz`)
    const ended = await command('pnpm', ['pack', '--out', tarball], { cwd: one.folder })
    if (ended.code !== 0) throw new StepError(`packing ${one.name} failed:\n${ended.output}`)
    return { one, tarball }
  })
}
