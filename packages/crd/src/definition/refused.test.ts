import { describe, expect, it } from 'vitest'
import {
  refusedDefinitions,
  type SomeOptions,
  takenDefinitions,
  uselessDefinitions,
  wholeOptions,
} from '../testkit/definitions.ts'
import { defineCustomResource } from './define.ts'

describe('a definition', () => {
  it.for([...refusedDefinitions, ...uselessDefinitions])(
    'K1: is refused with the option and what to do: %j',
    ([options, message]) => {
      expect(() => defineCustomResource(wholeOptions(options))).toThrow(message)
    },
  )

  it.for<readonly [SomeOptions, string]>([
    [{ listKind: 'Game' }, 'listKind: is Game, as the kind is. Take GameList.'],
    [
      { printColumns: [{ name: 'X', jsonPath: '.spec.color', priority: 1.5 }] },
      'printColumns: has the column X of the priority 1.5, which takes a whole number',
    ],
  ])('K1: is refused with the option and what to do, before a server is asked: %j', ([options, message]) => {
    expect(() => defineCustomResource(wholeOptions(options))).toThrow(message)
  })

  it.for(takenDefinitions)('is taken: %j', options => {
    expect(defineCustomResource(wholeOptions(options)).definition.kind).toBe('CustomResourceDefinition')
  })
})
