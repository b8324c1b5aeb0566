import { globSync, readFileSync } from 'node:fs'
import { root } from '../../tools/workspace.ts'

/** Words that a reader must read twice (CONTRIBUTING, plain English), and their forms. In names they are parts of camelCase. */
export const words: Readonly<Record<string, RegExp>> = {
  tell: /\b(tell|tells|telling|told)\b/g,
  hear: /\b(hear|hears|hearing|heard)\b/g,
  who: /\b(who|whom|whose)\b/g,
  'what is': /\bwhat is\b/g,
  'of which': /\bof which\b/g,
  'one of': /\bone of\b/g,
  beside: /\bbeside\b/g,
  anew: /\banew\b/g,
}

/** A line that has a word. */
export interface Found {
  /** `packages/controller`, or `examples`, `test` or `tools`. */
  readonly folder: string
  readonly word: string
  /** `FILE:LINE text` */
  readonly line: string
}

/** Each occurrence in the comments, names and test titles of our sources, those of generated files excepted. */
export function plainWords(): readonly Found[] {
  const found: Found[] = []
  for (const folder of [...globSync('packages/*', { cwd: root }), 'examples', 'test', 'tools']) {
    const within = folder.startsWith('packages/') ? `${folder}/src` : folder
    const files = globSync('**/*.ts', {
      cwd: `${root}/${within}`,
      exclude: name => /^(node_modules|dist|generated|public-definitions)$/.test(name.split('/').at(-1) ?? ''),
    })
    for (const file of files.toSorted()) {
      for (const [index, text] of readFileSync(`${root}/${within}/${file}`, 'utf8').split('\n').entries()) {
        const plain = text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
        for (const [word, forms] of Object.entries(words)) {
          const line = `${within}/${file}:${index + 1} ${text.trim()}`
          for (const _ of plain.matchAll(forms)) found.push({ folder, word, line })
        }
      }
    }
  }
  return found
}
