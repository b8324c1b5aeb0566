import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from '../bootstrap/lock.mjs'
import { command } from '../test/command.ts'
import { publishedPackages, root } from '../workspace.ts'
import type { SiteBuilder } from './builder.ts'

/** An entry of VitePress's sidebar. */
export interface SidebarItem {
  readonly text: string
  readonly link?: string | undefined
  readonly collapsed?: boolean | undefined
  readonly items?: readonly SidebarItem[] | undefined
}

/** The pages of all exports. */
export interface Reference {
  /** The folder that has them. */
  readonly folder: string
  readonly sidebar: readonly SidebarItem[]
}

/** TypeDoc's pages of what the packages export. They are kept in `cache` until a source, or what makes them, changes. */
export async function referenceOf(builder: SiteBuilder, cache: string): Promise<Reference> {
  const folder = join(cache, `reference-${digest()}`)
  const onWait = (holder: number): void => console.error(`process ${holder} is making the reference; waiting for it`)
  await withLock(join(cache, 'reference.lock'), onWait, async () => {
    if (!existsSync(folder)) await make(builder, cache, folder)
  })
  const sidebar = JSON.parse(readFileSync(join(folder, 'typedoc-sidebar.json'), 'utf8')) as SidebarItem[]
  return { folder, sidebar: sidebar.flatMap(doors) }
}

/** Only a whole reference gets the name `folder`. */
async function make(builder: SiteBuilder, cache: string, folder: string): Promise<void> {
  for (const old of globSync('{reference,partial}-*', { cwd: cache })) rmSync(join(cache, old), { recursive: true })
  const partial = join(cache, `partial-${process.pid}`)
  mkdirSync(partial, { recursive: true })
  const options = join(partial, 'typedoc.json')
  const given = {
    extends: [join(root, 'tools/reference/typedoc.json')],
    plugin: builder.typedocPlugins,
    router: 'member',
    docsRoot: partial,
    out: join(partial, 'reference'),
  }
  writeFileSync(options, JSON.stringify(given))
  const { code, output } = await command(process.execPath, [builder.typedoc, '--options', options])
  if (code !== 0) throw new Error(`typedoc fails:\n${output}`)
  renameSync(join(partial, 'reference'), folder)
  rmSync(partial, { recursive: true })
}

/** A page of the reference with packages called by their names: TypeDoc has `client/src` for `@wherry/client`. */
export function withPackageNames(page: string): string {
  const byFolder = new Map(publishedPackages().map(({ short, name }) => [short, name]))
  const name = (whole: string, short: string, door = ''): string => {
    const known = byFolder.get(short)
    return known === undefined ? whole : `${known}${door}`
  }
  return page.replace(/(?<=^# |\[|^\[Wherry\]\([^)]*\) \/ )([\w-]+)\/src(\/\w+)?(?=\]|$)/gm, name)
}

/**
 * A package and its doors, each with a link to the page that names its exports. (All names on each of their pages would make the site grow with their
 * square.)
 */
function doors({ text, items = [] }: SidebarItem): SidebarItem[] {
  const name = publishedPackages().find(({ short }) => short === text)?.name ?? text
  return items.flatMap(front => {
    const others = (front.items ?? []).filter(({ link }) => link?.endsWith('/'))
    return [
      { text: name, link: front.link },
      ...others.map(door => ({ text: `${name}/${door.text}`, link: door.link })),
    ]
  })
}

/** What the reference is made by. */
const makers = ['tools/docs/reference.ts', 'tools/reference/typedoc.json', 'tools/toolchain/site/package-lock.json']

function digest(): string {
  const hash = createHash('sha256')
  const exclude = ['**/*.test.ts', '**/node_modules/**', '**/dist/**']
  const sources = globSync('packages/*/src/**/*.ts', { cwd: root, exclude }).sort()
  for (const file of [...sources, ...makers]) hash.update(`${file}\0${readFileSync(join(root, file), 'utf8')}\0`)
  return hash.digest('hex').slice(0, 12)
}
