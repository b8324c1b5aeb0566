import { describe, expect, it } from 'vitest'
import { refusedDefinitions, takenDefinitions, uselessDefinitions, wholeOptions } from '../testkit/definitions.ts'
import { defineCustomResource } from './define.ts'

describe('a definition', () => {
  it.for([...refusedDefinitions, ...uselessDefinitions])(
    'K1: is refused with the option and what to do: %j',
    ([options, message]) => {
      expect(() => defineCustomResource(wholeOptions(options))).toThrow(message)
    },
  )

  it.for(takenDefinitions)('is taken: %j', options => {
    expect(defineCustomResource(wholeOptions(options)).definition.kind).toBe('CustomResourceDefinition')
  })
})
