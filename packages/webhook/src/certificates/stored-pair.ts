import type { Secret } from '@wherry/client/resources/core'
import { type Authority, authorityOf } from './authority.ts'
import type { Pair } from './schedule.ts'

const slots = ['authority-1', 'authority-2'] as const

/** The authorities in a Secret. */
export interface StoredPair {
  /** The valid authorities. */
  readonly whole: readonly Authority[]
  /** The problem of each other authority. The texts contain no data of the Secret. */
  readonly problems: readonly string[]
}

/** Parses the authorities in a Secret. Never throws. */
export function storedPair(secret: Pick<Secret, 'data'>): StoredPair {
  const whole: Authority[] = []
  const problems: string[] = []
  for (const slot of slots) {
    const [cert, key] = [textOf(secret, `${slot}.crt`), textOf(secret, `${slot}.key`)]
    if (cert === '' || key === '') {
      problems.push(`${slot}: it is not there, or empty`)
      continue
    }
    const read = authorityOf(cert, key)
    if (typeof read === 'string') problems.push(`${slot}: ${read}`)
    else if (whole.some(({ fingerprint }) => fingerprint === read.fingerprint))
      problems.push(`${slot}: it is the other`)
    else whole.push(read)
  }
  return { whole, problems }
}

/** The data of a Secret that keeps a pair. */
export function dataOf(pair: Pair): Record<string, string> {
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64')
  return Object.fromEntries(
    slots.flatMap((slot, index) => {
      const { cert, key } = pair[index] as Authority
      return [
        [`${slot}.crt`, base64(cert)],
        [`${slot}.key`, base64(key)],
      ]
    }),
  )
}

function textOf({ data }: Pick<Secret, 'data'>, name: string): string {
  const value: unknown = data?.[name]
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString() : ''
}
