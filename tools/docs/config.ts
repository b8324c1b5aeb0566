import { join } from 'node:path'
import type { SidebarItem } from './reference.ts'

/** What the site says of itself. */
export interface SiteFacts {
  /** The path at which a server has the site, with a slash at its end. */
  readonly base: string
  readonly description: string
  /** Where the repository is. */
  readonly repository: string
  /** Of all packages. */
  readonly version: string
  readonly pages: readonly SidebarItem[]
  readonly reference: readonly SidebarItem[]
}

/**
 * The text of VitePress's configuration. It finds what it imports in the `node_modules` of its folder, so it is no module of the work tree. Of a page of
 * the reference the search finds the name alone: the words of all would be megabytes.
 */
export function siteConfig({ base, description, repository, version, pages, reference }: SiteFacts): string {
  const theme = {
    nav: [
      { text: 'Documentation', link: '/docs/' },
      { text: 'Packages', link: '/docs/packages' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Repository', link: repository },
      { text: version, link: '/CHANGELOG' },
    ],
    sidebar: { '/reference/': reference, '/': pages },
    outline: [2, 3],
    footer: { message: `Version ${version} of all packages. Licence: Apache-2.0.` },
  }
  return `import { slugOf } from ${JSON.stringify(join(import.meta.dirname, 'slug.ts'))}
import llms from 'vitepress-plugin-llms'

const nameAlone = text => (/^# .*$/m.exec(text) ?? [''])[0]
const render = (text, env, markdown) =>
  markdown.render(env.relativePath.startsWith('reference/') ? nameAlone(text) : text, env)

/** The theme would ask a host for an icon that it does not have. */
const noForeignIcons = {
  name: 'no-foreign-icons',
  transform: (code, id) =>
    id.includes('VPSocialLink') ? code.replaceAll('https://api.iconify.design/simple-icons/', 'data:,') : undefined,
}
export default {
  title: 'Wherry',
  description: ${JSON.stringify(description)},
  base: ${JSON.stringify(base)},
  lang: 'en',
  appearance: true,
  // No server is asked for a picture that is not there.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: { anchor: { slugify: slugOf } },
  vite: {
    build: { chunkSizeWarningLimit: 10_000, reportCompressedSize: false },
    plugins: [noForeignIcons, llms({ ignoreFiles: ['reference/**'], sidebar: ${JSON.stringify(pages)}, excludeIndexPage: false })],
  },
  themeConfig: { ...${JSON.stringify(theme)}, search: { provider: 'local', options: { _render: render } } },
}
`
}
