import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { publishedPackages } from '../../tools/workspace.ts'
import { publicNames } from './front-doors.ts'
import { withoutExample } from './value-examples.ts'

/** Commands have no values that a program calls. */
const commands = ['cli', 'create-wherry-operator']
const packages = [...new Set(publishedPackages().map(({ short }) => short))].filter(short => !commands.includes(short))

it.each(packages)('each public value of %s has an @example in its docstring', short => {
  const own = publishedPackages().filter(one => one.short === short)
  const values = own.flatMap(publicNames).filter(({ isType, file }) => !isType && file !== undefined)
  expect(values.length).toBeGreaterThan(0)
  const byFile = Map.groupBy(values, ({ file = '' }) => file)
  const silent = [...byFile].flatMap(([file, all]) =>
    withoutExample(
      readFileSync(file, 'utf8'),
      all.map(({ name }) => name),
    ),
  )
  expect(silent).toEqual([])
})

it('withoutExample finds values without an example, and lets errors and guards share one', () => {
  const example = '/**\n * Says.\n *\n * @example\n * ```ts\n * a()\n * ```\n */\n'
  const names = ['a', 'b', 'c', 'AError', 'BError', 'isC', 'd']
  const text = [
    `${example}export function a(one: 1): void`,
    'export function a(): void {}',
    `${example}/** Says. */\nexport const b = 1`,
    '/**\n * @example b()\n */\nexport class c {}',
    'class InternalError extends Error {}',
    `${example}export class AError extends Error {}`,
    'export class BError extends Error {}',
    'export function isC() {}',
  ]
  expect(withoutExample(text.join('\n'), names)).toEqual(['b', 'c', 'd'])
  const later = text.join('\n').replace(`${example}export class AError`, 'export class AError')
  expect(withoutExample(`${later}\n${example}export class DError {}`, [...names, 'DError'])).toEqual([
    ...['b', 'c', 'AError', 'BError', 'isC', 'd'],
  ])
})
