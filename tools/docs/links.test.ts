import { describe, expect, it } from 'vitest'
import { rewritten } from './links.ts'
import { placeOf, sitePages } from './site-map.ts'

const repository = 'https://github.com/wherry-dev/wherry'
const sources = { pages: new Set(sitePages()), repository }
const links = (page: string, text: string) => rewritten(page, text, sources).text

describe('rewritten', () => {
  it('leads to the pages of the site, from where the site has the page', () => {
    expect(links('README.md', '[a](docs/README.md) [b](packages/client/README.md#verbs) [c](packages/client)')).toBe(
      '[a](./docs/index.md) [b](./packages/client.md#verbs) [c](./packages/client.md)',
    )
    expect(links('docs/tutorial.md', '[a](../README.md) [b](controller.md) [c](../examples/README.md)')).toBe(
      '[a](../index.md) [b](./controller.md) [c](../examples/index.md)',
    )
    expect(links('examples/quickstart/README.md', '[a](../../packages/crd/README.md#x)')).toBe(
      '[a](../packages/crd.md#x)',
    )
    expect(links('packages/crd/README.md', `[a](${repository}/blob/main/docs/security.md)`)).toBe(
      '[a](../docs/security.md)',
    )
  })

  it('leads to the repository for files that the site does not have, and refuses those that are not there', () => {
    expect(links('docs/README.md', '[a](production/alerts.yaml) [b](../packages/client/src)')).toBe(
      `[a](${repository}/blob/main/docs/production/alerts.yaml) [b](${repository}/tree/main/packages/client/src)`,
    )
    expect(() => links('docs/README.md', '[a](none.yaml)')).toThrow(
      'docs/README.md: none.yaml leads to no file of the work tree',
    )
  })

  it('leaves code, comments, other hosts and anchors of the page alone, and takes pictures along', () => {
    const same = '`[a](x.md)` [b](https://example.com/y.md) [c](#here)\n\n```md\n[d](z.md)\n```\n<!-- [e](w.md) -->\n'
    expect(links('docs/README.md', same)).toBe(same)
    const { text, pictures } = rewritten('README.md', '![p](docs/memory-game.svg)\n\n[n]: docs/tutorial.md', sources)
    expect(text).toBe('![p](./docs/memory-game.svg)\n\n[n]: ./docs/tutorial.md')
    expect(pictures).toEqual(['docs/memory-game.svg'])
  })
})

it('gives each page a place of its own', () => {
  const places = sitePages().map(placeOf)
  expect(new Set(places).size).toBe(places.length)
  expect(places).toContain('packages/client.md')
  expect(places).toContain('index.md')
})
