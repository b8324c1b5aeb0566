import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock, systemEnvironment } from '@wherry/client/internal'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../testkit/on-a-server.ts'
import { newAuthority } from './authority.ts'
import { FileCertificates } from './certificate-files.ts'
import { type Leaf, newLeaf } from './leaf.ts'

const hourMs = 3_600_000

describe('certificates in files', () => {
  const now = systemClock().now()
  const authority = newAuthority(now, now + hourMs)
  let folder = ''

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'wherry-certificates-'))
  })

  afterEach(() => rmSync(folder, { recursive: true }))

  const made = (): Leaf => newLeaf(authority, ['arcade.games.svc'], now, hourMs)
  const path = (name: string): string => join(folder, name)
  /** Written as a whole, as a mounted Secret is. */
  const write = (name: string, text: string): void => {
    writeFileSync(path(`${name}.new`), text)
    renameSync(path(`${name}.new`), path(name))
  }
  const opened = (errors: string[]): FileCertificates =>
    new FileCertificates(
      { cert: path('tls.crt'), key: path('tls.key'), ca: path('ca.crt') },
      systemEnvironment({ onError: ({ message }) => void errors.push(message) }),
    )

  it('B3: are read again when they change, and what does not fit together is reported once', async () => {
    const [first, second] = [made(), made()]
    for (const [name, text] of [
      ['tls.crt', first.cert],
      ['tls.key', first.key],
      ['ca.crt', authority.cert],
    ] as const)
      write(name, text)
    const errors: string[] = []
    const files = opened(errors)
    await files.start()
    expect([files.current().cert, files.authorities, files.expiresAt]).toEqual([
      ...[first.cert, [authority.cert], Math.floor(first.notAfter / 1000) * 1000],
    ])
    let changes = 0
    const forget = files.onChange(() => {
      changes += 1
    })
    write('tls.crt', second.cert)
    await until(() => expect(errors).toEqual([expect.stringContaining(`it is not the key of ${path('tls.crt')}`)]))
    expect([files.current().cert, changes]).toEqual([first.cert, 0])
    write('tls.key', second.key)
    await until(() => expect([files.current().cert, changes]).toEqual([second.cert, 1]))
    forget()
    await files.stop()
    expect(errors.join()).not.toContain(first.key.split('\n')[1])
  })

  it('may lack the authority, also as an option that is undefined', async () => {
    const leaf = made()
    write('tls.crt', leaf.cert)
    write('tls.key', leaf.key)
    const given = { cert: path('tls.crt'), key: path('tls.key'), ca: undefined }
    const files = new FileCertificates(given, systemEnvironment())
    await files.start()
    expect([files.current().cert, files.authorities]).toEqual([leaf.cert, undefined])
    await files.stop()
  })

  it('that are not there, or are no certificate, end the start with what to look at', async () => {
    const problem = (): Promise<string> =>
      opened([])
        .start()
        .then(
          () => 'none',
          (error: Error) => error.message,
        )
    expect(await problem()).toContain("can't be used: it can't be read (ENOENT)")
    const leaf = made()
    write('tls.crt', 'x')
    write('tls.key', leaf.key)
    write('ca.crt', authority.cert)
    expect(await problem()).toContain('tls.crt of certificates.files')
    write('tls.crt', leaf.cert)
    write('tls.key', 'x')
    expect(await problem()).toContain('it has no PEM of a private key')
    write('tls.key', leaf.key)
    write('ca.crt', 'x')
    expect(await problem()).toContain('ca.crt of certificates.files')
  })
})
