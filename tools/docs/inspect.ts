import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileFor } from './serve.ts'

/** The problems of a built site, a line for each: links and anchors that lead nowhere, and what a browser would load from another host. */
export function faultsOf(folder: string, base: string): string[] {
  const texts = new Map(
    globSync('**/*.html', { cwd: folder }).map(page => [page, readFileSync(join(folder, page), 'utf8')]),
  )
  const ids = new Map([...texts].map(([page, html]) => [page, idsIn(html)]))
  const pages = [...texts].flatMap(([page, html]) => [
    ...brokenLinks(folder, base, page, html, ids).map(target => `${page}: ${target} leads nowhere`),
    ...foreignIn(html).map(url => `${page}: loads ${url}`),
  ])
  const files = globSync('**/*.{js,css}', { cwd: folder }).flatMap(file =>
    foreignIn(readFileSync(join(folder, file), 'utf8')).map(url => `${file}: loads ${url}`),
  )
  return [...pages, ...files]
}

/** What a browser loads by itself from another host, by HTML, a style or a script. A link to follow is none of it. */
export function foreignIn(text: string): string[] {
  const host = String.raw`(?:https?:)?//[^\s"'()<>\\]+`
  const ways = [
    String.raw`\b(?:src|srcset|poster|data)=["']?(${host})`,
    String.raw`<link\b[^>]*\bhref=["']?(${host})`,
    String.raw`\burl\(\s*["']?(${host})`,
    String.raw`\bimport\s*\(?\s*["'](${host})`,
    String.raw`\bfrom\s*["'](${host})["']`,
    String.raw`\bfetch\(\s*["'${'`'}](${host})`,
  ]
  return ways.flatMap(way => [...text.matchAll(new RegExp(way, 'g'))].map(([, url = '']) => url))
}

function idsIn(html: string): Set<string> {
  return new Set([...html.matchAll(/\s(?:id|name)="([^"]*)"/g)].map(([, id = '']) => decoded(id)))
}

function brokenLinks(
  folder: string,
  base: string,
  page: string,
  html: string,
  ids: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const targets = new Set([...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, target = '']) => decoded(target)))
  return [...targets].filter(target => {
    if (/^[a-z]+:/.test(target)) return false
    const url = new URL(target, `http://localhost${base}${page}`)
    const file = fileFor(folder, base, url.pathname) ?? fileFor(folder, base, `${url.pathname}.html`)
    if (file === undefined) return true
    const anchor = decodeURIComponent(url.hash.slice(1))
    if (anchor === '') return false
    const known = ids.get(file.slice(folder.length + 1))
    return known?.has(anchor) !== true
  })
}

function decoded(text: string): string {
  const signs: Readonly<Record<string, string>> = {
    '&amp;': '&',
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
  }
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, sign => signs[sign] ?? sign)
}

/** The problems of the texts for assistants: each page must be in both, once. */
export function faultsOfTexts(folder: string, base: string, places: readonly string[]): string[] {
  const names = ['llms.txt', 'llms-full.txt']
  return names.flatMap(name => {
    const file = join(folder, name)
    if (!existsSync(file)) return [`there is no ${name}`]
    const text = readFileSync(file, 'utf8')
    const named = name === 'llms.txt' ? /\]\(([^)]+\.md)\)/g : /^url: (\S+\.md)$/gm
    const found = [...text.matchAll(named)].map(([, url = '']) => url)
    // The page of a folder is written as the folder's name: docs.md for docs/index.md.
    const wanted = places.map(place => `${base}${place.replace(/^(.+)\/index\.md$/, '$1.md')}`)
    return [
      ...wanted
        .filter(url => found.filter(one => one === url).length !== 1)
        .map(url => `${name} does not name ${url} once`),
      ...found.filter(url => !wanted.includes(url)).map(url => `${name} names ${url}, which is no page`),
      ...found
        .filter(url => !existsSync(join(folder, url.slice(base.length))))
        .map(url => `${name}: ${url} leads nowhere`),
    ]
  })
}
