import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { command } from '../test/command.ts'
import { root } from '../workspace.ts'
import list from './list.json' with { type: 'json' }

/** A file of a published module. */
export interface PublicFile {
  /** The module, the version and the path in it. */
  readonly name: string
  /** The path of a copy on this machine. */
  readonly file: string
}

interface Pinned {
  readonly module: string
  readonly version: string
  /** The SHA-256 sum of each file, by its path in the module. */
  readonly files: Readonly<Record<string, string>>
}

const folder = join(root, '.cache/public-definitions')

/** The files of the list. Each is fetched once, by the Go command, which looks at GOPROXY and at Go's checksum database. */
export async function publicFiles(): Promise<readonly PublicFile[]> {
  const found: PublicFile[] = []
  for (const pinned of list as unknown as readonly Pinned[]) {
    let source: string | undefined
    for (const [path, sum] of Object.entries(pinned.files)) {
      const name = `${pinned.module}@${pinned.version}/${path}`
      const cached = join(folder, `${sum}.yaml`)
      let bytes = await readFile(cached).catch(() => undefined)
      if (bytes === undefined) {
        source ??= await moduleFolder(pinned)
        bytes = await readFile(join(source, path))
      }
      const actual = createHash('sha256').update(bytes).digest('hex')
      if (actual !== sum) throw new Error(`${name} has the sum ${actual}, and list.json says ${sum}`)
      await mkdir(folder, { recursive: true })
      await writeFile(cached, bytes)
      found.push({ name, file: cached })
    }
  }
  return found
}

async function moduleFolder({ module, version }: Pinned): Promise<string> {
  await mkdir(folder, { recursive: true })
  const { output } = await command('go', ['mod', 'download', '-json', `${module}@${version}`], { cwd: folder })
  const source = /"Dir": ("[^"]*")/.exec(output)?.[1]
  if (source !== undefined) return JSON.parse(source)
  throw new Error(`${module}@${version} can't be fetched. It takes Go and the network: look at GOPROXY.\n${output}`)
}
