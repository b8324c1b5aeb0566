import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../tools/workspace.ts'
import { type Block, blocksOf, type Page } from './markdown.ts'

/** The sources of packages that have an `@example` in a docstring. */
export function sourcesWithExamples(): Page[] {
  const exclude = ['**/*.test.ts', '**/node_modules/**', '**/dist/**']
  return globSync('packages/*/src/**/*.ts', { cwd: root, exclude })
    .sort()
    .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .filter(({ text }) => text.includes('@example'))
}

/**
 * The code of each `@example` of a source, as it is shown: without the stars. Lines are those of the source. An `@example` without a fence of `ts` is an
 * error, since nothing would compile it.
 */
export function examplesOf({ path, text }: Page): Block[] {
  const tags = text.split('\n').filter(line => /^\s*(?:\/\*)?\*(?:.*\s)?@example\b(?!\.)/.test(line)).length
  const blocks = blocksOf({ path, text: examplesAlone(text) })
  if (blocks.length !== tags) {
    const what = 'Write "@example" on a line of its own, and then one block from "```ts" to "```".'
    throw new Error(`${path} has ${tags} times @example, and ${blocks.length} blocks of code for them. ${what}`)
  }
  return blocks
}

/** The text with every line blank that is not of an `@example`. */
function examplesAlone(text: string): string {
  let isOfExample = false
  const lines = text.split('\n').map(line => {
    const [, said] = /^\s*\* ?(.*)$/.exec(line) ?? []
    if (said === undefined || said === '/') isOfExample = false
    else if (/^@\w/.test(said)) isOfExample = said === '@example'
    return isOfExample ? said : ''
  })
  return lines.join('\n')
}
