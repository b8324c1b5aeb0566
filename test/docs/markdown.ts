import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { slugOf } from '../../tools/docs/slug.ts'
import { root } from '../../tools/workspace.ts'

/** A page of ours, by its path in the work tree. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** A code block in TypeScript. */
export interface Block {
  readonly page: string
  /** Of its first line of code, from 1. */
  readonly line: number
  readonly code: string
  /**
   * What the reader is taken to have, in a comment that pages do not show, right before the block:
   *
   *     <!-- given
   *     declare const client: Client
   *     -->
   *
   * `undefined` for a block that is whole.
   */
  readonly given: string | undefined
  /** The name that a comment right before it gives it (`<!-- file: game.ts -->`): others of the page import it by that. */
  readonly file: string | undefined
  /** The page that the reader comes from, with its files (`<!-- goes on from: docs/tutorial.md -->`). */
  readonly from?: string | undefined
}

/** Every page that is written for people. */
export function pages(): Page[] {
  const patterns = [
    '*.md',
    '.github/*.md',
    'docs/**/*.md',
    'packages/*/README.md',
    'packages/*/SKILL.md',
    'examples/README.md',
    'examples/{*,ported/*}/README.md',
    'tools/*/README.md',
    'test/*/README.md',
  ]
  return globSync(patterns, { cwd: root, exclude: ['**/node_modules'] })
    .sort()
    .map(path => ({ path: relative('.', path), text: readFileSync(join(root, path), 'utf8') }))
}

/** The blocks of a page that begin with ```ts. */
export function blocksOf({ path, text }: Page): Block[] {
  const fence =
    /^(?:<!-- given\n(?<given>[\s\S]*?)^-->\n|<!-- file: (?<file>\S+) -->\n)?```ts\n(?<code>[\s\S]*?)^```$/gm
  const [, from] = /^<!-- goes on from: (\S+) -->$/m.exec(text) ?? []
  return [...text.matchAll(fence)].map(match => {
    const { given, file, code = '' } = match.groups ?? {}
    const before = match[0].indexOf('```ts\n') + '```ts\n'.length
    const line = text.slice(0, match.index + before).split('\n').length
    return { page: path, line, code, given, file, from }
  })
}

/** A link to somewhere else, or to a heading of the same page (`#…`). */
export interface Link {
  readonly page: string
  readonly line: number
  readonly target: string
}

/** The links and pictures of a page, those in code left out. */
export function linksOf({ path, text }: Page): Link[] {
  const prose = withoutCode(text)
  const inline = /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g
  const named = /^\[[^\]]+\]:\s*(\S+)/gm
  return [...prose.matchAll(inline), ...prose.matchAll(named)].map(match => ({
    page: path,
    line: prose.slice(0, match.index).split('\n').length,
    target: match[1] ?? '',
  }))
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf({ text }: Page): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutCode(text, false).matchAll(/^#{1,6}\s+(.+)$/gm)) {
    const slug = slugOf(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
    let anchor = slug
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`
    anchors.add(anchor)
  }
  return anchors
}

/** Lines stay where they are. */
function withoutCode(text: string, inline = true): string {
  const blank = (code: string): string => code.replace(/[^\n]/g, ' ')
  const fenced = text.replace(/^```[\s\S]*?^```$/gm, blank)
  return inline ? fenced.replace(/`[^`\n]+`/g, blank) : fenced
}
