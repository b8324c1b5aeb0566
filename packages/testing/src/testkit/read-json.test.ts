import { expect, it } from 'vitest'
import { readJson } from './read-json.ts'

it.each([
  String.raw`{"a":1,"\\":1}`,
  String.raw`{"a":1,"\t":1}`,
  String.raw`{"\u006detadata":{"\n":[{},[],[1,-0,2.5e-3,"x","\"]}",null,true,false]]},"__proto__":{"x":1},"":""}`,
  ' [ 1 , { "b" : "\\u0000 ü€𝄞" } ]\r\n\t',
  '"text"',
  '-1e3',
])('reads %s', text => {
  const compact = (one: unknown): string => JSON.stringify(one)
  expect(compact(readJson(text))).toBe(compact(readJson(compact(readJson(text)))))
  // Of the keys, what the text says of them.
  const keys = text.match(/"(?:[^"\\]|\\.)*"(?=\s*:)/g) ?? []
  for (const key of keys) expect(compact(readJson(text))).toContain(`${compact(JSON.parse(key))}:`)
})

it('takes the last of two keys of one name, in the place of the first, and makes no prototype of __proto__', () => {
  expect(JSON.stringify(readJson('{"a":1,"b":2,"a":3}'))).toBe('{"a":3,"b":2}')
  const object = readJson('{"__proto__":{"polluted":true}}') as object
  expect(Object.keys(object)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
})

it.each(['', '{', '[1', '[1,]', '{"a"}', '{"a":}', '{a:1}', '{1:1}', '[1]]', '1 2', '"a', "'a'", '[,]'])(
  'refuses %s',
  text => {
    expect(() => readJson(text)).toThrow(SyntaxError)
  },
)
