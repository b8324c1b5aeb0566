import { isIP } from 'node:net'
import { OptionRangeError, OptionTypeError } from '@wherry/client'
import { type Check, checkOptions, milliseconds, text } from '@wherry/client/internal'
import { certificateSourceCheck } from '../server/certificates.ts'
import type { CertificateFiles } from './certificate-files.ts'
import type { Lives } from './schedule.ts'

/** Options of the certificates that the operator makes, or the files to use instead. */
export interface CertificateOptions {
  /** PEM files of the serving certificate, such as those of cert-manager, which are read again when they change. @default the operator makes certificates */
  readonly files?: CertificateFiles | undefined
  /** Names and addresses of the server other than those of the Service. @default none */
  readonly names?: readonly string[] | undefined
  /**
   * How long an authority is used, in milliseconds. There are two authorities, and the older one is replaced after each half of this time, an eighth of it
   * before its expiry. At least 8000, and at least four times `servingLifeMs`. Short lives are for tests.
   * @default 360 days
   */
  readonly authorityLifeMs?: number | undefined
  /** How long a serving certificate is valid, in milliseconds. It is replaced after half of this time. At least 2000. @default 7 days */
  readonly servingLifeMs?: number | undefined
}

const dayMs = 86_400_000

/** How long certificates live. @throws OptionRangeError if an authority lives too short for its serving certificates */
export function livesOf({ authorityLifeMs = 360 * dayMs, servingLifeMs = 7 * dayMs }: CertificateOptions): Lives {
  if (authorityLifeMs < 4 * servingLifeMs) {
    const takes = `four times servingLifeMs (${4 * servingLifeMs}) or more`
    throw new OptionRangeError('webhooks.certificates.authorityLifeMs', takes, `${authorityLifeMs}`)
  }
  return { authorityMs: authorityLifeMs, servingMs: servingLifeMs }
}

/** A host name, or an IP address. */
export const serverName: Check = (option, value) => {
  text(option, value)
  const takes = 'a host name or an IP address, without a port or a zone'
  const isAddress = isIP(value as string) !== 0 && !(value as string).includes('%')
  if (!isAddress && !/^(\*\.)?[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/i.test(value as string))
    throw new OptionRangeError(option, takes, JSON.stringify(value))
}

const serverNames: Check = (option, value) => {
  if (!Array.isArray(value)) throw new OptionTypeError(option, 'a list of names', typeof value)
  for (const [index, one] of value.entries()) serverName(`${option}[${index}]`, one)
}

const files: Check = (option, value) =>
  checkOptions(option, value, { cert: text, key: text, ca: text }, ['cert', 'key'])

/** @throws OptionTypeError, OptionRangeError */
export const certificatesCheck: Check = (option, value) => {
  if (typeof Object(value).current === 'function') return certificateSourceCheck(option, value)
  checkOptions(option, value, {
    files,
    names: serverNames,
    authorityLifeMs: milliseconds({ min: 8000 }),
    servingLifeMs: milliseconds({ min: 2000 }),
  })
  const given = (value ?? {}) as CertificateOptions
  const others = ['names', 'authorityLifeMs', 'servingLifeMs'] as const
  const odd = given.files === undefined ? undefined : others.find(name => given[name] !== undefined)
  if (odd !== undefined) throw new OptionTypeError(`${option}.${odd}`, 'nothing if files is given', 'a value')
  livesOf(given)
}
