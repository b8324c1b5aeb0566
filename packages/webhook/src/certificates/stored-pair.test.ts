import { expect, it } from 'vitest'
import { newAuthority } from './authority.ts'
import { dataOf, storedPair } from './stored-pair.ts'

const now = Date.UTC(2026, 0, 1)
const pair = [newAuthority(now, now + 1e10), newAuthority(now, now + 2e10)] as const
const data = dataOf(pair)
const [older, younger] = pair.map(({ fingerprint }) => fingerprint)
const base64 = (value: string): string => Buffer.from(value).toString('base64')

it('B3: a Secret has the pair that was written to it, in its order', () => {
  expect(Object.keys(data)).toEqual(['authority-1.crt', 'authority-1.key', 'authority-2.crt', 'authority-2.key'])
  const { whole, problems } = storedPair({ data })
  expect([whole.map(({ fingerprint }) => fingerprint), problems]).toEqual([[older, younger], []])
  expect(whole.map(({ cert, key, subject, notAfter }) => [cert, key, subject, notAfter])).toEqual(
    pair.map(({ cert, key, subject, notAfter }) => [cert, key, subject, notAfter]),
  )
})

const { 'authority-1.crt': cert1, 'authority-1.key': key1 } = data
const missing = 'it is not there, or empty'
it.each<[title: string, data: unknown, whole: unknown[], problems: string[]]>([
  ['no data', undefined, [], [`authority-1: ${missing}`, `authority-2: ${missing}`]],
  ['no certificate', { ...data, 'authority-1.crt': undefined }, [younger], [`authority-1: ${missing}`]],
  ['no key', { ...data, 'authority-2.key': undefined }, [older], [`authority-2: ${missing}`]],
  ['an empty key', { ...data, 'authority-1.key': '' }, [younger], [`authority-1: ${missing}`]],
  ['a number for a key', { ...data, 'authority-1.key': 5 }, [younger], [`authority-1: ${missing}`]],
  [
    'a text for a certificate',
    { ...data, 'authority-1.crt': base64('x') },
    [younger],
    ['authority-1: the certificate is no PEM of a certificate'],
  ],
  [
    'the key of the other',
    { ...data, 'authority-2.key': key1 },
    [older],
    ['authority-2: the certificate is of another key'],
  ],
  [
    'one twice',
    { ...data, 'authority-2.crt': cert1, 'authority-2.key': key1 },
    [older],
    ['authority-2: it is the other'],
  ],
])('B3: what a Secret lacks is named without its content: %s', (_, given, whole, problems) => {
  const read = storedPair({ data: given as Record<string, string> })
  expect([read.whole.map(({ fingerprint }) => fingerprint), read.problems]).toEqual([whole, problems])
})
