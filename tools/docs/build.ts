import { cpSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { command } from '../test/command.ts'
import { publishedPackages, root } from '../workspace.ts'
import { siteBuilder } from './builder.ts'
import { siteConfig } from './config.ts'
import { rewritten } from './links.ts'
import { referenceOf, withPackageNames } from './reference.ts'
import { sidebarOf } from './sidebar.ts'
import { placeOf, sitePages } from './site-map.ts'

export interface SiteOptions {
  /** The folder to write. What was in it is removed. */
  readonly out: string
  /** The path at which a server has the site: `/` or `/wherry/`. */
  readonly base: string
}

/** Where pages are laid out for VitePress, and the reference is kept. */
const cache = join(root, '.cache/docs')

/** Builds the site. Rejects if VitePress finds a link that leads nowhere. */
export async function buildSite({ out, base }: SiteOptions): Promise<void> {
  const builder = await siteBuilder()
  mkdirSync(cache, { recursive: true })
  const reference = await referenceOf(builder, cache)
  const site = join(cache, `site-${process.pid}`)
  try {
    const { description, repository } = manifest()
    const pages = new Map(sitePages().map(page => [page, readFileSync(join(root, page), 'utf8')]))
    layOut(site, pages, repository)
    layOutReference(site, reference.folder)
    const facts = {
      base,
      description,
      repository,
      version: version(),
      pages: sidebarOf(pages),
      reference: reference.sidebar,
    }
    write(join(site, '.vitepress/config.mjs'), siteConfig(facts))
    symlinkSync(builder.modules, join(site, 'node_modules'))
    rmSync(out, { recursive: true, force: true })
    const args = ['--max-semi-space-size=64', builder.vitepress, 'build', site, '--outDir', out]
    const { code, output } = await command(process.execPath, args, { cwd: site })
    if (code !== 0) throw new Error(`vitepress fails:\n${output}`)
  } finally {
    rmSync(site, { recursive: true, force: true })
  }
}

/** Each page where the site has it, and the pictures that they show. A package's page says its version. */
function layOut(site: string, texts: ReadonlyMap<string, string>, repository: string): void {
  const sources = { pages: new Set(texts.keys()), repository }
  for (const [page, own] of texts) {
    const { text, pictures } = rewritten(page, own, sources)
    write(join(site, placeOf(page)), withVersion(page, text))
    for (const picture of pictures) cpSync(join(root, picture), join(site, picture), { recursive: true })
  }
}

function withVersion(page: string, text: string): string {
  const one = publishedPackages().find(({ short }) => page === `packages/${short}/README.md`)
  if (one === undefined) return text
  const line = `Version ${one.manifest.version} · [all exports](../reference/${one.short}/src/index.md)`
  return text.replace(/^# .*$/m, title => `${title}\n\n${line}`)
}

function layOutReference(site: string, folder: string): void {
  for (const page of globSync('**/*.md', { cwd: folder }))
    write(join(site, 'reference', page), withPackageNames(readFileSync(join(folder, page), 'utf8')))
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function manifest(): { description: string; repository: string } {
  const { description, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    description: string
    repository: { url: string }
  }
  return { description, repository: repository.url.replace(/^git\+/, '').replace(/\.git$/, '') }
}

/** All packages have one version. */
function version(): string {
  const [one] = publishedPackages()
  if (one === undefined) throw new Error('there is no package')
  return one.manifest.version
}
