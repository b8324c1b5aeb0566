import { describe, expect, it } from 'vitest'
import { withServer } from '../testkit/in-memory.ts'
import { maxLevels, maxPatchLevels, tooDeepAt } from './depth.ts'

const lists = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

describe('the levels of a body', () => {
  it('are counted without the brackets in texts', () => {
    expect(
      [lists(maxLevels), objects(maxLevels), `"${'['.repeat(5000)}"`, lists(5).repeat(5000)].map(text =>
        tooDeepAt(text),
      ),
    ).toEqual(Array.from({ length: 4 }, () => undefined))
    expect(tooDeepAt(lists(maxLevels + 1))).toBe('[')
    expect(tooDeepAt(objects(maxLevels + 1))).toBe('{')
    // Strings that would be too long for a regular expression, and a string without an end.
    const long = 'a'.repeat(10_000_000)
    expect([`"${long}"`, `"${long}\\\\"${lists(5)}`, `"${lists(4000)}`].map(text => tooDeepAt(text))).toEqual(
      Array(3).fill(undefined),
    )
    expect(tooDeepAt(`"${long}\\\\"${lists(4000)}`)).toBe('[')
    expect(tooDeepAt(`"\\"${'['.repeat(5000)}" ${objects(5000)}`)).toBe('{')
  })

  it('F4: are read up to the bound, whatever the content type, and refused beyond it', async () => {
    await withServer(async kit => {
      const path = '/api/v1/namespaces/default/configmaps'
      await kit.call('POST', path, { metadata: { name: 'a' } })
      const statuses = async (deep: string): Promise<number[]> => {
        const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"x":${deep}}`
        const found: number[] = []
        for (const [method, type, text = body] of [
          ['PUT', 'json'],
          ['PUT', 'yaml'],
          [
            'PUT',
            'yaml',
            `x:\n${Array.from({ length: 400 }, (_, i) => `${' '.repeat(i + 1)}a:`).join('\n')}\nmetadata: {name: a}`,
          ],
          ['PATCH', 'merge-patch+json'],
          ['PATCH', 'strategic-merge-patch+json'],
          ['PATCH', 'json-patch+json', `[{"op":"add","path":"/x","value":${deep}}]`],
        ] as const) {
          const { status } = await kit.call(method, `${path}/a`, text, { 'content-type': `application/${type}` })
          found.push(status)
        }
        return found
      }
      for (const deep of [lists, objects]) {
        expect(await statuses(deep(maxPatchLevels - 2))).toEqual([200, 200, 200, 200, 200, 200])
        expect(await statuses(deep(maxPatchLevels + 1))).toEqual([200, 200, 200, 400, 400, 400])
        expect((await statuses(deep(maxLevels - 2))).slice(0, 3)).toEqual([200, 200, 200])
        expect(await statuses(deep(maxLevels + 1))).toEqual([400, 400, 200, 400, 400, 400])
      }
    })
  })
})
