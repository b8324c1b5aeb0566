import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { adviceAnchors, adviceUrl } from '../../packages/cli/src/audit/report/advice.ts'
import { root } from '../../tools/workspace.ts'
import { anchorsOf } from '../docs/markdown.ts'

const path = 'docs/audit.md'
const text = readFileSync(join(root, path), 'utf8')

it.each(Object.entries(adviceAnchors))('the documentation has a section about the finding %s', (finding, anchor) => {
  expect([...anchorsOf({ path, text })]).toContain(anchor)
  // The table of sections, too.
  expect(text).toMatch(new RegExp(`^\\| \`${finding}\` \\| \\[[^\\]]+\\]\\(#${anchor}\\) \\|$`, 'm'))
})

it('the address of an advice is that of its section', () => {
  expect(adviceUrl({ finding: 'no-requests' })).toBe(
    'https://github.com/wherry-dev/wherry/blob/main/docs/audit.md#it-asks-for-nothing',
  )
})
