import { dirname, join, normalize } from 'node:path'
import type { SidebarItem } from './reference.ts'
import { placeOf } from './site-map.ts'

/** The title of a page: its first heading, without marks. */
export function titleOf(page: string, text: string): string {
  const [, title] = /^# (.+)$/m.exec(text) ?? []
  if (title === undefined) throw new Error(`${page} has no title: begin it with "# Title"`)
  return title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/`/g, '')
}

/** The pages, each once: those of docs in the order and the groups of `docs/README.md`, then folder by folder. */
export function sidebarOf(pages: ReadonlyMap<string, string>): SidebarItem[] {
  const left = new Set(pages.keys())
  const item = (page: string): SidebarItem => {
    left.delete(page)
    return { text: titleOf(page, pages.get(page) ?? ''), link: `/${placeOf(page)}` }
  }
  item('README.md')
  const index = 'docs/README.md'
  const first = { text: 'Documentation', items: [item(index)] }
  const sections = (pages.get(index) ?? '').split(/^## /m).slice(1)
  const groups = sections.map(section => {
    const targets = [...section.matchAll(/\]\(([^)#]+)\)/g)].map(([, to = '']) => normalize(join(dirname(index), to)))
    const fresh = [...new Set(targets)].filter(page => left.has(page) && /^docs\/[^/]+$/.test(page))
    return { text: section.split('\n')[0] ?? '', collapsed: false, items: fresh.map(item) }
  })
  const folders: readonly [string, RegExp][] = [
    ['More', /^docs\/[^/]+$/],
    ['Packages', /^packages\//],
    ['Guarantees', /^docs\/guarantees\//],
    ['Benchmarks', /^docs\/benchmarks\//],
    ['Examples', /^examples\//],
    ['The project', /./],
  ]
  const rest = folders.map(([text, path]) => {
    const found = [...left].filter(page => path.test(page))
    // The page of the folder itself comes first.
    const own = found.filter(page => page.endsWith('/README.md') && placeOf(page).endsWith('index.md'))
    return { text, collapsed: true, items: [...new Set([...own, ...found])].map(item) }
  })
  return [first, ...groups, ...rest].filter(({ items }) => items.length > 0)
}
