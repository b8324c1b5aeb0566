import { expect, it } from 'vitest'
import { passing } from './headers.ts'

it('passes on headers with the names of inherited properties, and those that come several times', () => {
  const raw = [
    'Constructor',
    'a',
    '__proto__',
    'b',
    'toString',
    'c',
    'X',
    '1',
    'x',
    '2',
    'Connection',
    'close, Y',
    'y',
    '3',
  ]
  const passed = passing({ connection: 'close, Y' }, raw)
  expect(Object.entries(passed)).toEqual([
    ['constructor', 'a'],
    ['__proto__', 'b'],
    ['tostring', 'c'],
    ['x', ['1', '2']],
  ])
})
