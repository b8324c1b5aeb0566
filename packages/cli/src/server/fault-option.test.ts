import { InvalidArgumentError } from 'commander'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { faultOf } from './fault-option.ts'

it.each([
  ['reset,at=5s', { atMs: 5000, effect: 'reset' }],
  ['restart,at=2m', { atMs: 120_000, effect: 'restart' }],
  ['410,at=500ms', { atMs: 500, effect: { expireWatches: undefined } }],
  ['410,resource=pods,at=5s', { atMs: 5000, effect: { expireWatches: 'pods' } }],
  [
    '429,at=5s,for=15s',
    { atMs: 5000, forMs: 15_000, effect: { rule: { match: {}, effect: { kind: 'status', code: 429 } } } },
  ],
  [
    '500,verb=watch,resource=pods,times=1',
    {
      atMs: 0,
      effect: { rule: { match: { verb: 'watch', resource: 'pods' }, times: 1, effect: { kind: 'status', code: 500 } } },
    },
  ],
  [
    '429,retry=2,namespace=a',
    {
      atMs: 0,
      effect: { rule: { match: { namespace: 'a' }, effect: { kind: 'status', code: 429, retryAfterSeconds: 2 } } },
    },
  ],
  [
    'latency,by=200ms,verb=get',
    { atMs: 0, effect: { rule: { match: { verb: 'get' }, effect: { kind: 'delay', ms: 200 } } } },
  ],
])('%s is a fault', (text, fault) => {
  expect(faultOf(text)).toEqual({ text, ...fault })
})

const known = 'the faults are reset, restart, 410, latency, and an HTTP status from 400 to 599'

it.each([
  ['explode', `"explode" is no fault: ${known}`],
  ['', `"" is no fault: ${known}`],
  ['200', `"200" is no fault: ${known}`],
  ['STATUS', `"STATUS" is no fault: ${known}`],
  ['constructor', `"constructor" is no fault: ${known}`],
  ['reset', 'reset happens once: say when, as in reset,at=5s'],
  ['reset,at=5s,for=1s', 'reset takes no "for": it takes at'],
  ['410,at=5', 'at of 410 takes a duration such as 500ms, 5s or 2m, not "5"'],
  ['429,at=0s', 'at of 429 takes a duration'],
  ['429,for=99999999m', 'for of 429 takes a duration'],
  ['429,kind=pods', '429 takes no "kind": it takes at, for, times, retry, verb, resource, namespace'],
  ['429,verb=read', '"read" is no verb: verb takes get, list, watch,'],
  ['429,verb', 'verb of 429 has no value: write verb=VALUE'],
  ['429,times=0', 'times of 429 takes a whole number from 1 on, not "0"'],
  ['429,times=1,times=2', '429 has times twice'],
  ['latency', 'latency needs a duration: latency,by=200ms'],
])('%j is refused, with what is taken', (text, message) => {
  expect(() => faultOf(text)).toThrow(message)
})

it('any text is a fault or is refused with a reason', () => {
  const word = fc.oneof(
    fc.constantFrom('reset', 'restart', '410', '429', 'latency', 'at', 'by', 'for', 'times', 'verb', 'resource'),
    fc.constantFrom('5s', '1', '200ms', 'pods', 'watch', '', '__proto__', '=', ' '),
    fc.string({ maxLength: 4 }),
  )
  const text = fc.array(fc.tuple(word, fc.constantFrom(',', '=', ''))).map(parts => parts.flat().join(''))
  fc.assert(
    fc.property(text, given => {
      try {
        expect(faultOf(given).text).toBe(given)
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidArgumentError)
      }
    }),
  )
})
