import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { long } from './long.ts'

it.each(long)('%s has test files of its own, on both servers', name => {
  expect(globSync(`${name}.*.test.ts`, { cwd: import.meta.dirname }).sort()).toEqual([
    `${name}.embedded.test.ts`,
    `${name}.real.test.ts`,
  ])
})
