import { expect, it } from 'vitest'
import bounds from './plain-words.json' with { type: 'json' }
import { plainWords } from './plain-words.ts'

const found = plainWords()
const counted: Readonly<Record<string, Readonly<Record<string, number>>>> = Object.fromEntries(
  Object.entries(Object.groupBy(found, ({ folder }) => folder)).map(([folder, lines = []]) => [
    folder,
    Object.fromEntries(
      Object.entries(Object.groupBy(lines, ({ word }) => word)).map(([word, { length } = []]) => [word, length]),
    ),
  ]),
)
const allowed: Readonly<Record<string, Readonly<Record<string, number | undefined>>>> = bounds

it('sources gain none of the words that have to be read twice', () => {
  const more = Object.entries(counted).flatMap(([folder, byWord]) =>
    Object.entries(byWord)
      .filter(([word, count]) => count > (allowed[folder]?.[word] ?? 0))
      .flatMap(([word]) => found.filter(one => one.folder === folder && one.word === word).map(({ line }) => line)),
  )
  expect(more).toEqual([])
})

it('a count that has fallen stays down: plain-words.json has it', () => {
  const loose = Object.entries(allowed).flatMap(([folder, byWord]) =>
    Object.entries(byWord).flatMap(([word, most = 0]) => {
      const count = counted[folder]?.[word] ?? 0
      return count < most ? [`${folder}, ${word}: ${count}, and plain-words.json allows ${most}`] : []
    }),
  )
  expect(loose).toEqual([])
})
