import { readFile, rename, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { CatalogIndex } from './catalog-index.ts'
import { add, remove } from './edit.ts'
import { IndexEditError } from './errors.ts'
import type { Metadata } from './release.ts'

export const usage = `node index.ts create FILE
node index.ts add FILE PACKAGE/CHANNEL METADATA.yaml DIGEST
node index.ts remove FILE PACKAGE/CHANNEL RELEASE [HEAD.yaml]

Makes an index, or changes one. The same calls give the same bytes.

  METADATA.yaml  the ClusterServiceVersion of the release
  DIGEST         of its bundle's manifest in the registry: sha256:…
  HEAD.yaml      the ClusterServiceVersion of the release that becomes the head, where the head is removed`

/** Does what the arguments say. Rejects with an error of one line. */
export async function indexCommand(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [verb, file = '', channel = '', ...rest] = positionals
  if (verb === 'create' && positionals.length === 2) {
    // It never overwrites one.
    await writeFile(file, new CatalogIndex().toBytes(), { flag: 'wx' })
  } else if (verb === 'add' && positionals.length === 5) {
    const [path = '', digest = ''] = rest
    const bundle = { metadata: await metadataIn(path), digest }
    await edit(file, index => add(index, channelName(channel), bundle))
  } else if (verb === 'remove' && (positionals.length === 4 || positionals.length === 5)) {
    const [release = '', path] = rest
    const head = path === undefined ? undefined : await metadataIn(path)
    await edit(file, index => remove(index, channelName(channel), release, head))
  } else throw new IndexEditError(usage)
}

async function edit(file: string, change: (index: CatalogIndex) => CatalogIndex): Promise<void> {
  const bytes = change(CatalogIndex.parse(await readFile(file))).toBytes()
  const partial = `${file}.partial`
  await writeFile(partial, bytes)
  await rename(partial, file)
}

async function metadataIn(path: string): Promise<Metadata> {
  const found = parse(await readFile(path, 'utf8')) as Metadata | null
  if (!found?.metadata?.name || !found.spec) throw new IndexEditError(`${path} is no ClusterServiceVersion`)
  return found
}

function channelName(text: string): { package: string; name: string } {
  const [of, name, ...more] = text.split('/')
  if (!of || !name || more.length > 0) throw new IndexEditError(`${text} is no PACKAGE/CHANNEL`)
  return { package: of, name }
}
