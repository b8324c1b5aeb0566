import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { faultsOf, faultsOfTexts, foreignIn } from './inspect.ts'
import { fileFor, serveFolder } from './serve.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'site-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

function write(files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
}

describe('faultsOf', () => {
  it('finds links and anchors that lead nowhere, below the base', () => {
    write({
      'index.html': '<a href="/x/a.html#b-c">1</a><a class="l" href="./a.html#none">2</a><a href="/a.html">3</a>',
      'a.html':
        '<h2 id="b-c"></h2><a href="/x/">4</a><a href="#b%2Dc">5</a><a href="https://example.com/">6</a><a href="c">7</a>',
    })
    expect(faultsOf(folder, '/x/').sort()).toEqual([
      'a.html: c leads nowhere',
      'index.html: ./a.html#none leads nowhere',
      'index.html: /a.html leads nowhere',
    ])
  })

  it('finds what pages, styles and scripts load from other hosts', () => {
    write({
      'index.html': '<img src="https://example.com/a.png">',
      'a.css': 'a { background: url(//example.com/b.png) }',
    })
    expect(faultsOf(folder, '/').sort()).toEqual([
      'a.css: loads //example.com/b.png',
      'index.html: loads https://example.com/a.png',
    ])
  })
})

it('foreignIn finds each way to load from another host, and no link to follow', () => {
  const ways = [
    '<script src="https://h/1"></script><link rel="stylesheet" href="https://h/2">',
    '@import "https://h/3"; a { b: url("https://h/4") }',
    'import("https://h/5"); import x from "https://h/6"; fetch("https://h/7")',
  ]
  expect(ways.flatMap(foreignIn).sort()).toEqual([1, 2, 3, 4, 5, 6, 7].map(n => `https://h/${n}`))
  expect(foreignIn('<a href="https://h/">a</a> xmlns="http://www.w3.org/2000/svg" src="/x/a.js" url(data:a)')).toEqual(
    [],
  )
})

it('faultsOfTexts finds pages that the texts for assistants name twice, never, or without having them', () => {
  write({
    'docs.md': '',
    'a.md': '',
    'llms.txt': '- [D](/x/docs.md)\n- [A](/x/a.md)\n- [A](/x/a.md)\n- [B](/x/b.md)\n',
    'llms-full.txt': '---\nurl: /x/docs.md\n---\n',
  })
  expect(faultsOfTexts(folder, '/x/', ['docs/index.md', 'a.md'])).toEqual([
    'llms.txt does not name /x/a.md once',
    'llms.txt names /x/b.md, which is no page',
    'llms.txt: /x/b.md leads nowhere',
    'llms-full.txt does not name /x/a.md once',
  ])
  rmSync(join(folder, 'llms.txt'))
  expect(faultsOfTexts(folder, '/x/', [])[0]).toBe('there is no llms.txt')
})

describe('a folder that is served', () => {
  it('has its files below the base, and no file outside of it', async () => {
    write({ 'site/index.html': 'home', 'site/a.js': '1', 'secret.txt': 'no' })
    const site = join(folder, 'site')
    for (const url of [
      '/x/../secret.txt',
      '/x/%2e%2e/secret.txt',
      '/x/..%2fsecret.txt',
      '/secret.txt',
      '/x/none',
      '/x/%',
      '//',
    ])
      expect(fileFor(site, '/x/', url), url).toBeUndefined()
    const server = await serveFolder(site, '/x/', 0)
    try {
      const home = await fetch(server.url)
      expect([home.headers.get('content-type'), await home.text()]).toEqual(['text/html; charset=utf-8', 'home'])
      expect((await fetch(`${server.url}none`)).status).toBe(404)
    } finally {
      await server.close()
    }
  })
})
