import { describe, expect, it } from 'vitest'
import { readYaml } from './read.ts'

describe('readYaml', () => {
  it.for([
    ['{!own :f}', 'a text in [] or {} begins with a colon (at character 7)'],
    ['[a, {b: 1}, :x]', 'a text in [] or {} begins with a colon (at character 13)'],
    ['{a: :x}', 'a text in [] or {} begins with a colon (at character 5)'],
    ['{a:}', 'a key in [] or {} has a colon without a space behind it (at character 2)'],
    ['[a :,b]', 'a key in [] or {} has a colon without a space behind it (at character 2)'],
    ['[a:]', 'a key in [] or {} has a colon without a space behind it (at character 2)'],
    ['{a: !, b}', 'a tag in [] or {} has nothing behind it (at character 6)'],
    ['--- |\ntext', 'it is a block of text'],
    ['>2\n  text', 'it is a block of text'],
    ['{!own &a: 8}', 'the name of an anchor has other characters than letters, digits, _ and - (at character 11)'],
    ['a: &é b', 'the name of an anchor has other characters than letters'],
    ['[!!null]', 'a tag in [] or {} has nothing behind it (at character 8)'],
  ] as const)('refuses %s, which kubectl reads as something else', ([text, message]) => {
    expect(() => readYaml(text)).toThrow(message)
  })

  it.for([
    ['a: :x', { a: ':x' }],
    ['a: [b]\nc: :x\n:d: 1', { a: ['b'], c: ':x', ':d': 1 }],
    ['{a: , "b":}', { a: null, b: null }],
    ['{a:\n}', { a: null }],
    ['["a":1, b: 2]', [{ a: 1 }, { b: 2 }]],
    ["[':x', !!str , !!str a]", [':x', '', 'a']],
    ['[.2_2, ._2, .2_, .2__2, -.2_2, .5e1_0, 1_.5]', [0.22, '._2', '.2_', '.2__2', -0.22, 0.5e10, 1.5]],
    ['a: !!str\nb: !', { a: '', b: '' }],
  ] as const)('reads %j as kubectl does', ([text, value]) => {
    expect(readYaml(text)).toEqual([value])
  })
})
