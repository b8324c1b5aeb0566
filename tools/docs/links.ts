import { existsSync, statSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { root } from '../workspace.ts'
import { placeOf } from './site-map.ts'

/** What the site is made of. */
export interface Sources {
  /** The pages that it has, by their paths in the work tree. */
  readonly pages: ReadonlySet<string>
  /** Where the repository is: `https://github.com/wherry-dev/wherry`. */
  readonly repository: string
}

/** The text of a page as the site has it, and the pictures that it shows, by their paths in the work tree. */
export interface Rewritten {
  readonly text: string
  readonly pictures: readonly string[]
}

/** A page with each link leading to the site's own page of what it led to, or to the repository if the site has none. Code stays as it is. */
export function rewritten(page: string, text: string, sources: Sources): Rewritten {
  const pictures: string[] = []
  const lead = (target: string): string => {
    const led = leadFrom(page, target, sources)
    if (led.picture !== undefined) pictures.push(led.picture)
    return led.target
  }
  // Code comes first: what looks like a link in it is none.
  const parts =
    /^```[\s\S]*?^```$|`[^`\n]+`|<!--[\s\S]*?-->|(?<open>\]\(\s*<?)(?<target>[^)\s>]+)|^(?<name>\[[^\]]+\]:\s*)(?<to>\S+)/gm
  const changed = text.replace(parts, (whole, ...rest) => {
    const { open, target, name, to } = rest.at(-1) as Record<string, string | undefined>
    if (target !== undefined) return `${open}${lead(target)}`
    return to === undefined ? whole : `${name}${lead(to)}`
  })
  return { text: changed, pictures }
}

function leadFrom(page: string, target: string, sources: Sources): { target: string; picture?: string } {
  const { pages, repository } = sources
  const own = [`${repository}/blob/main/`, `${repository}/tree/main/`].find(start => target.startsWith(start))
  if (target.startsWith('#') || (own === undefined && /^[a-z]+:/.test(target))) return { target }
  const [path = '', anchor] = target.slice(own?.length ?? 0).split('#')
  const from = own === undefined ? dirname(page) : '.'
  const file = normalize(join(from, decodeURIComponent(path))).replace(/\/$/, '')
  const readme = [file, join(file, 'README.md')].find(one => pages.has(one))
  const after = anchor === undefined ? '' : `#${anchor}`
  if (readme !== undefined) return { target: `${step(page, placeOf(readme))}${after}` }
  if (/\.(svg|png|jpg)$/.test(file)) return { target: step(page, file), picture: file }
  if (!existsSync(join(root, file))) throw new Error(`${page}: ${target} leads to no file of the work tree`)
  const kind = statSync(join(root, file)).isDirectory() ? 'tree' : 'blob'
  return { target: `${repository}/${kind}/main/${file}${after}` }
}

/** The way from a page of the work tree to a place of the site. */
function step(page: string, place: string): string {
  const way = relative(dirname(placeOf(page)), place)
  return way.startsWith('.') ? way : `./${way}`
}
