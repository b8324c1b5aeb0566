import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../tools/workspace.ts'
import { blocksOf } from './markdown.ts'

const text = readFileSync(join(root, 'README.md'), 'utf8')

/** Words as `wc -w` counts them, of all that is neither a block of code nor a comment: the signs of tables and addresses of links count. */
function words(page: string): number {
  const prose = page.replace(/^```[\s\S]*?^```$/gm, '').replace(/<!--[\s\S]*?-->/g, '')
  return prose.split(/\s+/).filter(word => word !== '').length
}

describe('the README fits on one screen', () => {
  it('has at most 450 words, blocks of code not counted', () => {
    expect(words('one `two` [three](four)\n\n```sh\nfive\n```\n<!-- six -->\n')).toBe(3)
    expect(words(text)).toBeLessThanOrEqual(450)
    expect(words(text)).toBeGreaterThan(200)
  })

  it('has one program, of at most 15 lines after its imports, that brings its own API server and so is run', () => {
    const [block, ...others] = blocksOf({ path: 'README.md', text })
    expect(others).toEqual([])
    expect(block?.given).toBeUndefined()
    expect(block?.code).toContain("from '@wherry/testing'")
    const lines = block?.code.split('\n').filter(line => line !== '' && !line.startsWith('import '))
    expect(lines?.length).toBeLessThanOrEqual(15)
  })

  it('compares in at most eight rows, and leads to all of them', () => {
    const rows = text.split('\n').filter(line => line.startsWith('| ') && !line.startsWith('| ---'))
    // The first is the head.
    expect(rows.length - 1).toBeLessThanOrEqual(8)
    expect(text).toContain('](docs/compared.md)')
  })

  it('has the commands to start a project, to see the demo and to run the tests', () => {
    for (const line of ['npm create wherry-operator ', 'npm run demo ', 'npm test '])
      expect(text).toContain(`\n${line}`)
  })
})
