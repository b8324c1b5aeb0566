import { globSync } from 'node:fs'
import { root } from '../workspace.ts'

/** The pages of the work tree that the site has, by their paths. Other files are linked to where the repository is. */
export function sitePages(): string[] {
  const patterns = [
    '*.md',
    'docs/**/*.md',
    'packages/*/README.md',
    'examples/README.md',
    'examples/{*,ported/*}/README.md',
  ]
  return globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] }).sort()
}

/**
 * Where the site has a page: `packages/client/README.md` is `packages/client.md`. The README of a folder with other pages, and that of the work tree,
 * is its `index.md`.
 */
export function placeOf(page: string): string {
  const [, folder] = /^((?:packages|examples(?:\/ported)?)\/[^/]+)\/README\.md$/.exec(page) ?? []
  return folder === undefined ? page.replace(/(^|\/)README\.md$/, '$1index.md') : `${folder}.md`
}
