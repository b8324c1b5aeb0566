import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../workspace.ts'

const folder = join(root, 'docs/guarantees')

/** The text of all pages below docs/guarantees, in the order of its index. */
export function rulePages(): string {
  const index = readFileSync(join(folder, 'README.md'), 'utf8')
  const names = [...index.matchAll(/^\| [A-Z] \| \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(match => match[1] as string)
  return names.map(name => readFileSync(join(folder, name), 'utf8')).join('\n')
}

/** The ids of the numbered rules in the text of those pages, in its order. Each is a heading, followed by its promise in bold. */
export function ruleIds(text: string): string[] {
  return [...text.matchAll(/^##+ ([A-Z]\d+)\n\n\*\*/gm)].map(match => match[1] as string)
}

/** A test title that begins with rules: `it('R7, R20: …')`, in whatever quotes. */
const title = /\(\s*['"`]([A-Z]\d+(?:, ?[A-Z]\d+)*): /g

/** How often each rule is named by the test titles in a source text. */
export function rulesNamed(source: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [, ids = ''] of source.matchAll(title))
    for (const id of ids.split(/, ?/)) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}
