import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../workspace.ts'
import { type SidebarItem, withPackageNames } from './reference.ts'
import { sidebarOf, titleOf } from './sidebar.ts'
import { placeOf, sitePages } from './site-map.ts'

const pages = new Map(sitePages().map(page => [page, readFileSync(join(root, page), 'utf8')]))

function links(items: readonly SidebarItem[]): string[] {
  return items.flatMap(({ link, items: inner = [] }) => [...(link === undefined ? [] : [link]), ...links(inner)])
}

it('the sidebar has each page once, but for the first, and those of docs by the sections of their index', () => {
  const sidebar = sidebarOf(pages)
  const others = sitePages().filter(page => page !== 'README.md')
  expect(links(sidebar).sort()).toEqual(others.map(page => `/${placeOf(page)}`).sort())
  expect(sidebar.map(({ text }) => text)).toContain('Learn')
})

it('a title is shown without marks, and a page without one is refused', () => {
  expect(titleOf('a.md', 'x\n# A `b` [c](d.md)\n')).toBe('A b c')
  expect(() => titleOf('a.md', '## A\n')).toThrow('a.md has no title')
})

it('the reference calls packages by their names, and changes nothing else', () => {
  const page =
    '[Wherry](../index.md) / client/src\n\n# client/src\n\n[watch-manager/src/testing](x.md) [other/src](y.md) client/src/x\n'
  expect(withPackageNames(page)).toBe(
    '[Wherry](../index.md) / @wherry/client\n\n# @wherry/client\n\n[@wherry/watch-manager/testing](x.md) [other/src](y.md) client/src/x\n',
  )
})
