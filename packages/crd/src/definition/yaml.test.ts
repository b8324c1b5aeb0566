import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { game } from '../testkit/game.ts'
import { definitionYaml, isCurrentYaml } from './yaml.ts'

describe('definitionYaml', () => {
  it('writes the definition whole, without aliases', () => {
    const shared = { type: 'object' }
    const [version] = game.definition.spec.versions
    const twice = { ...version, schema: { openAPIV3Schema: { type: 'object', properties: { a: shared, b: shared } } } }
    const definition = {
      ...game.definition,
      spec: { ...game.definition.spec, versions: [twice as typeof version & object] },
    }
    expect(parse(definitionYaml(definition))).toEqual(definition)
    expect(definitionYaml(definition)).not.toMatch(/[&*]a\d/)
  })
})

describe('isCurrentYaml', () => {
  const text = definitionYaml(game.definition)

  it('takes the same definition with comments and in another order', () => {
    const reordered = definitionYaml(Object.fromEntries(Object.entries(game.definition).reverse()) as never)
    expect([text, `# Made by a tool.\n${text}`, reordered].map(one => isCurrentYaml(one, game.definition))).toEqual([
      true,
      true,
      true,
    ])
  })

  it('finds a stale manifest, and one that can not be read', () => {
    const stale = text.replace('maximum: 64', 'maximum: 65')
    expect(stale).not.toBe(text)
    expect([stale, '', `${text}---\n${text}`, '{'].map(one => isCurrentYaml(one, game.definition))).toEqual([
      false,
      false,
      false,
      false,
    ])
  })
})
