import { expect, it } from 'vitest'
import { listProcesses, parseProc, parsePs, rssOf } from './process-tree.ts'

it('the memory of a command is that of its descendants and of its group, each counted once', () => {
  const all = parsePs(`
      1     0     1  1000
     10     1    10    10
     11    10    10    20
     12    11    12    40
     13     1    10    80
     14    14    10   320
     20     1    20   160
`)
  // The process 12 has left the group, the parent of 13 has ended, and 14 is listed as its own.
  expect(rssOf(10, all)).toBe((10 + 20 + 40 + 80 + 320) * 1024)
  expect(rssOf(99, all)).toBe(0)
})

it('a name with parentheses and blanks is no field of /proc', () => {
  const stat = '42 (a ) 7 (b) S 7 9 9 0 -1'
  expect(parseProc(42, stat, 'Name:\ta\nVmRSS:\t   12 kB\n')).toEqual({
    pid: 42,
    parent: 7,
    group: 9,
    rssBytes: 12_288,
  })
  expect(parseProc(42, '', '')).toBeUndefined()
})

it('this process has memory', async () => {
  expect(rssOf(process.pid, await listProcesses())).toBeGreaterThan(1_000_000)
})
