import { expect, it } from 'vitest'
import { noCounts } from '../counts.ts'
import type { MigrationProgress } from '../progress.ts'
import { ProgressLine } from './terminal.ts'

it.for([
  [undefined, 0, ' '.repeat(20)],
  [4, 1, '='.repeat(5).padEnd(20)],
  [0, 0, '='.repeat(20)],
] as const)('the bar of a terminal, of a total of %s with %s listed', ([total, listed, bar]) => {
  const written: string[] = []
  const line = new ProgressLine({ isTTY: true, write: text => written.push(text) })
  line.show({
    ...{ definition: 'games.arcade.example.com', storageVersion: 'v2', total, counts: { ...noCounts, listed } },
    ...{ failed: 0, elapsedMs: 0, resumedAt: 0 },
  } as MigrationProgress)
  line.end()
  expect(written.join('')).toContain(`[${bar}]`)
})
