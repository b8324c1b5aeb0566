import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Ledger } from '../../packages/cli/src/audit/ledger/ledger.ts'
import { reportOf } from '../../packages/cli/src/audit/report/report.ts'
import { root } from '../../tools/workspace.ts'
import { auditedPrograms } from './audited-programs.ts'
import { gamePicture } from './game-picture.ts'
import type { AuditedRow } from './program-table.ts'

const programs = auditedPrograms()

/** A row of a program with samples of its memory. */
function rowOf(at: number, megabytes: readonly number[]): AuditedRow {
  const memory = megabytes.map((rss, second) => ({ second, rssBytes: rss * 1e6, receivedBytes: second * 1e6 }))
  const [program] = programs.slice(at)
  if (program === undefined) throw new Error(`there is no program ${at}`)
  return { program, report: reportOf(new Ledger(() => 0, 1), { seconds: 2, rest: undefined, memory }) }
}

const pointsIn = (picture: string): readonly (readonly [string, string])[] =>
  [...picture.matchAll(/<polyline class="(\w+)" points="([^"]*)"\/>/g)].map(([, name = '', points = '']) => [
    name,
    points,
  ])

it('the picture of a game has a line of each program for its memory and for its bytes, on the same scale', () => {
  const picture = gamePicture([rowOf(0, [50, 75, 100]), rowOf(1, [25, 25])])
  expect(pointsIn(picture)).toEqual([
    ['l0', '0,100 500,50 1000,0'],
    ['l1', '0,150 500,150'],
    ['l0', '0,200 500,100 1000,0'],
    ['l1', '0,200 500,100'],
  ])
  expect(picture).toContain('>100 MB</text>')
  expect(picture).toContain('>2 s</text>')
})

it('more programs than there are colours are refused', () => {
  const rows = Array.from({ length: 5 }, () => rowOf(0, [1, 2]))
  expect(() => gamePicture(rows)).toThrow('a picture has 4 programs at most')
})

it('the picture in the docs is small, and is of the libraries that are locked', () => {
  const picture = readFileSync(join(root, 'docs/audit-game.svg'), 'utf8')
  expect(picture.length).toBeLessThan(60_000)
  expect(pointsIn(picture).map(([name]) => name)).toEqual(['l0', 'l1', 'l0', 'l1'])
  for (const name of ['go', 'go-by-object']) {
    const { library, reads } = programs.find(one => one.name === name) ?? { library: '', reads: '' }
    expect(picture).toContain(`>${library}: ${reads.replaceAll('`', '')}</text>`)
  }
})
