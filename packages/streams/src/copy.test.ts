import { expect, it } from 'vitest'
import { checkEntry } from './copy.ts'

const file = { type: 'File', linkpath: undefined } as const
const link = (linkpath: string) => ({ type: 'SymbolicLink', linkpath }) as const
const hard = (linkpath: string) => ({ type: 'Link', linkpath }) as const

it.each([
  ['games/chess', file],
  ['games/..chess', file],
  ['games/latest', link('chess')],
  ['games/latest', link('../scores')],
  ['games/latest', hard('games/chess')],
])('takes %s %o', (path, entry) => {
  expect(() => checkEntry(path, entry, '/target')).not.toThrow()
})

it.each([
  ['/etc/passwd', file],
  ['../out', file],
  ['games/../../out', file],
  ['games\\..\\out', file],
  ['games/latest', link('/etc/passwd')],
  ['games/latest', link('../../out')],
  ['latest', link('..')],
  ['games/latest', hard('../out')],
  ['games/latest', hard('/etc/passwd')],
])('refuses %s %o', (path, entry) => {
  expect(() => checkEntry(path, entry, '/target')).toThrow(expect.objectContaining({ code: 'UNSAFE_PATH' }))
})
