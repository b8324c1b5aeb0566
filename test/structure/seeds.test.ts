import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { suites } from '../../tools/soak/suites.ts'
import { root } from '../../tools/workspace.ts'

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Rows of the table of CONTRIBUTING by the suite's name: seeds of `npm test`, and of `npm test -- --all`. */
function table(): Map<string, string[]> {
  const [, text = ''] = read('CONTRIBUTING.md').split('## How many seeds')
  const rows = [...text.matchAll(/^\| ([a-z][a-z-]*) \| (\S+) \| (\S+) \|/gm)]
  return new Map(rows.map(([, name = '', ...counts]) => [name, counts]))
}

it('says in CONTRIBUTING how many seeds each random suite has', () => {
  expect([...table().keys()].sort()).toEqual([...suites().keys()].sort())
  for (const [name, file] of suites()) {
    const [quick, whole = ''] = table().get(name) ?? []
    const text = read(file)
    const own = [...text.matchAll(/\bseeds(?::| =) (\d+)/g)].map(([, count]) => Number(count))
    if (own.length > 0) {
      const count = Math.max(...own)
      expect([name, quick, whole]).toEqual([name, `${Math.ceil(count * 0.1)}`, `${Math.ceil(count * 0.6)}`])
    } else if (whole !== '–') expect(text, name).toContain(`WHERRY_SEEDS ?? ${whole})`)
  }
})
